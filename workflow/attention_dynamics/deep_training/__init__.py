"""Training of networks on images that survives being killed: one loop, its record, and its checkpoints."""
