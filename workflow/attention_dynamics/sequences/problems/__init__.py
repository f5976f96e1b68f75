"""Sources of problems that are made of sequences, or of the size of their vocabulary."""
