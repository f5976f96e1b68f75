"""Sequences of tokens from several classes: samples, training of the (Y, Z) transformer on them, and its attention."""
