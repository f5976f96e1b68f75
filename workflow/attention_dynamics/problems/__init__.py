"""Sources of problems, one module per kind, and the data that they build."""
