"""Torch modules of the networks, which take plain numbers, and what is done with their inputs and observed of them."""
