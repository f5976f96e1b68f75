"""Closed forms and simulations of the papers' theory. Figures show them, or compare training with them."""
