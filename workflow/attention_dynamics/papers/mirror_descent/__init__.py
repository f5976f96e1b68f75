"""Figures and claims of *Optimizing attention with mirror descent*."""
