"""Losses, one module each: decreasing functions of the margin Y f(X) (Max-margin Assumption A)."""
