"""Full-batch optimizers: components with ``init`` and ``update``, as in Optax.

Batches of problems and starts are two leading axes of every array. A setting of type ``PositivePerStart`` may hold a
number for every start, which are trained side by side.
"""
