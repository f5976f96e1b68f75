"""Measured series of a run for one pair of learning rates, and means over the seeds, for claims."""

from attention_dynamics.problems.arrays import takes_arrays
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.sequences.token_composition import distinct_shares
from attention_dynamics.series.confidence import Estimate, Sample, estimate_mean
from attention_dynamics.series.series import Series


def at_rates(run: Run, series: str, *, eta_Y: float, eta_Z: float = 1) -> Series:
    """Return a series for one pair of learning rates, a column for every seed.

    Raises ValueError for an unknown pair.
    """
    return run[series].starts(pair_index(run, eta_Y, eta_Z))


def pair_index(run: Run, eta_Y: float, eta_Z: float) -> int:
    """Return the index of a pair of learning rates. For an unknown pair, raises ValueError with a list of the pairs."""
    pairs = list(zip(run.training.eta_Y, run.training.eta_Z, strict=True))
    if (eta_Y, eta_Z) not in pairs:
        there = ", ".join(f"({y:g}, {z:g})" for y, z in pairs)
        raise ValueError(f"run {run.name} has no (eta_Y, eta_Z) = ({eta_Y:g}, {eta_Z:g}), only {there}")
    return pairs.index((eta_Y, eta_Z))


def shares_at_rates(run: Run, *, eta_Y: float, eta_Z: float = 1) -> Array:
    """Return c_n, the shares of attention, for one pair of learning rates: (records, seeds, K classes, M tokens)."""
    shares: Array = run.series["token_shares"][:, :, pair_index(run, eta_Y, eta_Z)]
    return shares


def own_shares_at_rates(run: Run, *, eta_Y: float, eta_Z: float = 1) -> Array:
    """Return ``shares_at_rates`` restricted to each class's D distinct tokens, renormalized: (records, seeds, K, D)."""
    return distinct_shares(run.problem.classes, shares_at_rates(run, eta_Y=eta_Y, eta_Z=eta_Z))


@takes_arrays()
def mean_over_seeds(values: Array, run: Run) -> Estimate:
    """Return the mean of values (seeds,) of a run on sampled sequences. The unit of the estimate is a seed."""
    return estimate_mean(Sample(values, tuple(map(int, run.problem.settings["seed"])), "seed"))
