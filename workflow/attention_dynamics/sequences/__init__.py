"""Sequences of tokens from several classes: samples, training of the (Y, Z) transformer on them, what it attends to."""
