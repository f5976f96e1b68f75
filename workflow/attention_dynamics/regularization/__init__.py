"""Regularization paths: minimizers of the risk under a bound on the norm, as the bound grows."""
