"""Attention models: one module each, with ``build(problem, loss, precision, device, *, ...)``.

A model turns starts into parameters (``initial``) and parameters into scaled gradients (``gradient``).
``PARAMETERS`` names the attention parameters that a trajectory records.
Problems and initialisations are two leading batch axes of every array.
"""
