"""Attention models: one module each. Problems and starts are two leading batch axes of every array."""
