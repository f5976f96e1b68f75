"""Drawings and claims of each figure of each paper.

``<paper>/<file>.py`` draws the figures of ``config/<paper>/<file>.yaml``; ``<file>_claims.py`` checks statements about
them; ``<file>.csv`` and ``<file>_*.csv`` are published numbers, with their source in the first line.
"""
