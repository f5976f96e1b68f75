"""Closed forms and simulations of the theory that figures show or compare training with."""
