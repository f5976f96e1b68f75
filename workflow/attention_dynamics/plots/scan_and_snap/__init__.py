"""Plots of "Scan and Snap: Understanding Training Dynamics and Token Composition in 1-layer Transformer"."""
