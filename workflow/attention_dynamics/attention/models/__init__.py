"""Attention models: one module each. Problems and starts are the two leading axes of every array."""
