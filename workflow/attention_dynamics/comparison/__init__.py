"""Comparison of optimizers: every optimizer, with several step sizes, on every problem, for one number of steps."""
