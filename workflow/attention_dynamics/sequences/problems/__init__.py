"""Sources of problems that consist of sequences, of classes of sequences, or only of the size of a vocabulary."""
