"""Comparison of optimizers: every optimizer with several step sizes on every problem, in equally many steps."""
