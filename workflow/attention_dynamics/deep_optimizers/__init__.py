"""Optimizers of networks: one module each, with ``build(parameters, *, ...)`` returning a ``torch.optim.Optimizer``.

The keyword-only arguments are what the configuration may set.
"""
