"""Optimizers: one module each, with ``step(parameter, gradient, moment, *, ...)`` returning the new parameter.

The keyword-only arguments of ``step`` are what the configuration may set; their annotations are the check. An argument
of type ``PerStart`` may be a list with a number for every start, which are trained side by side.

``deep`` is no plug-in: it has the same methods as ``torch.optim.Optimizer``, for networks trained on batches.
"""
