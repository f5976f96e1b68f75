"""Training of networks that survives being killed: one loop, its record, and its checkpoints."""
