"""Sources of problems that are made of sequences, or of their vocabulary."""
