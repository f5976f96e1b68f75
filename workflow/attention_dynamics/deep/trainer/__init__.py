"""The training loop of networks: its schedule, its record with checkpoints, and grids of training runs."""
