"""Torch modules of the networks, built from plain numbers, preparation of their inputs, and observers of training."""
