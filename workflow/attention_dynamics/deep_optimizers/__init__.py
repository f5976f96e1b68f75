"""Optimizers of networks: one module each, with ``build(parameters, steps_per_epoch, *, ...)``.

It returns a ``torch.optim.Optimizer``. The keyword-only arguments are what the configuration may set; one that is a
``Grid`` may be a list there, and ``build`` is called with one of its numbers at a time.
"""
