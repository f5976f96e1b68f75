"""Drawings and claims of each figure of each paper.

``<paper>/<file>.py`` draws the figures of ``config/<paper>/<file>.yaml``, unless their ``kind`` names another module.
``<file>_claims.py`` checks statements about them. ``<file>_expected.csv`` has numbers of an independent computation
(``claims.expected``). ``<file>.csv`` and other ``<file>_*.csv`` have numbers that claims and drawings read, mostly
published ones; the first line of such a file says their source.
"""
