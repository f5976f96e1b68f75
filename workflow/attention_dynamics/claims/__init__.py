"""Claims: statements of a paper, what was measured, and whether they hold."""
