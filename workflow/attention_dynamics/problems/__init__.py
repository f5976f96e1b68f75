"""Sources of problems: one module per kind, each with a ``ProblemSource``."""
