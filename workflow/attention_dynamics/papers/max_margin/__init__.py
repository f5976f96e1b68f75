"""Figures and claims of *Max-margin token selection*."""
