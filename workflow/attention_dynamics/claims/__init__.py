"""The ledger: what a paper says, what was measured, whether it held."""
