"""Training of networks: one loop that resumes from checkpoints, its record, and grids of trainings."""
