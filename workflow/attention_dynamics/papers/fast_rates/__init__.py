"""Figures and claims of *Implicit bias and fast convergence rates*."""
