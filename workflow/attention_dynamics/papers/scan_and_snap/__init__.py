"""Figures and claims of *Scan and snap*."""
