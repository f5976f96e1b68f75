"""Comparison of optimizers: each one, with several step sizes, on every problem, for the same number of steps."""
