"""Claims about statements of the papers: what is claimed, what was measured, and whether it holds."""
