"""Closed forms that the figures are compared with."""
