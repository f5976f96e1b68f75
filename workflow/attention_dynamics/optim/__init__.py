"""Optimizers: one module each, with ``step(parameter, gradient, *, ...)`` returning the new parameter.

The keyword-only arguments of ``step`` are what the configuration may set; their annotations are the check.
"""
