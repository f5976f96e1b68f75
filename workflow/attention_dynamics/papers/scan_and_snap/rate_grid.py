"""The grid of sizes and learning rates on which Figs 6, 11 and 12 compare attention, for claims."""

from typing import NamedTuple

import numpy as np

from attention_dynamics.papers.scan_and_snap.rate_pairs import at_rates
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run


class Size(NamedTuple):
    """A size of the data, and the run on such data."""

    last: int
    next: int
    run: str

    @property
    def tokens(self) -> str:
        """The size in words, for statements."""
        return f"{self.last} last (query) token{'s' if self.last > 1 else ''} and {self.next} next tokens"


SIZES = {f"{last}/{2 * last}": Size(last, 2 * last, f"medium_{last}") for last in (1, 3, 5, 10)}
ETA_Z = (0.5, 1, 2, 3)
# eta_Y / eta_Z
RATIOS = (1, 2, 5, 10)


class RatioCase(NamedTuple):
    """The part of the grid with one size and one eta_Y / eta_Z, for every eta_Z."""

    size: Size
    ratio: float


class RateCase(NamedTuple):
    """The part of the grid with one size and one eta_Z, for every eta_Y / eta_Z."""

    size: Size
    eta_Z: float  # noqa: N815


# Cases of claims, by what they add to the id: "3/6-2" is 3/6 tokens with eta_Y / eta_Z = 2, or with eta_Z = 2.
RATIO_CASES = {f"{name}-{ratio}": RatioCase(size, ratio) for name, size in SIZES.items() for ratio in RATIOS}
RATE_CASES = {f"{name}-{eta_Z}": RateCase(size, eta_Z) for name, size in SIZES.items() for eta_Z in ETA_Z}


def means_at_ratio(run: Run, series: str, ratio: float) -> Array:
    """Return the means over the seeds at the end of training, for one eta_Y / eta_Z and every eta_Z, (4,)."""
    return np.array([_mean(run, series, ratio, eta_Z) for eta_Z in ETA_Z])


def means_at_rate(run: Run, series: str, eta_Z: float) -> Array:
    """Return the means over the seeds at the end of training, for one eta_Z and every eta_Y / eta_Z, (4,)."""
    return np.array([_mean(run, series, ratio, eta_Z) for ratio in RATIOS])


def _mean(run: Run, series: str, ratio: float, eta_Z: float) -> float:
    at_end: Array = at_rates(run, series, eta_Y=ratio * eta_Z, eta_Z=eta_Z).at(run.last_step)
    return float(at_end.mean())
