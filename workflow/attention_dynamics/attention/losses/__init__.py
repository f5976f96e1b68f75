"""Losses: one module each, decreasing functions of the margin Y f(X) (Assumption A of Max-margin)."""
