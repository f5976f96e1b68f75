"""Measured series for one of a run's pairs of learning rates, for claims."""

from attention_dynamics.run import Run
from attention_dynamics.series.series import Series


def at_rates(run: Run, series: str, *, eta_Y: float, eta_Z: float = 1) -> Series:
    """Return a series for one pair of learning rates, a column for every seed.

    Raises ValueError, listing the known pairs, for an unknown one.
    """
    pairs = list(zip(run.training.eta_Y, run.training.eta_Z, strict=True))
    if (eta_Y, eta_Z) not in pairs:
        there = ", ".join(f"({y:g}, {z:g})" for y, z in pairs)
        raise ValueError(f"run {run.name} has no (eta_Y, eta_Z) = ({eta_Y:g}, {eta_Z:g}), only {there}")
    return run[series].starts(pairs.index((eta_Y, eta_Z)))
