"""Torch modules of the networks, whose settings are plain numbers; preparation of inputs; observers of training."""
