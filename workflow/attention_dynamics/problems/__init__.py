"""Where data comes from: one module per kind of problem, each with a ``ProblemSource``."""
