"""Figures, claims and settings as static pages, to be opened from the disk: no server, no network."""
