"""Measured series along trajectories, their statistics, fits and confidence intervals."""
