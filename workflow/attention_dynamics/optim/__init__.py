"""Full-batch optimizers: components with ``init`` and ``update``, as in Optax.

Problems and starts are the two leading axes of every array. A setting of type ``PositivePerStart`` is one number for
all starts or a list with one number for each.
"""
