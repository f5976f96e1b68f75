"""Sequences of tokens from several classes: what is drawn, the (Y, Z) transformer trained on it, what it attends to."""
