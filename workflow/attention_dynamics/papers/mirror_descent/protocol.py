"""The published protocol: paths of mirror descent with three exponents p, and SVMs in the norms q = 1.75, 2 and 3.

Names of runs end with p, and names of references with q, both without the point: 175 is 1.75. Claims call the SVM with
q = p the path's own.
"""

from itertools import permutations
from typing import NamedTuple

from attention_dynamics.run import Run, Runs
from attention_dynamics.series.confidence import Sample
from attention_dynamics.series.series import Series

EXPONENTS = (1.75, 2, 3)


class Pair(NamedTuple):
    """A path with exponent p, and an SVM in another norm q."""

    p: float
    q: float


PAIRS = {f"{p:g}-{q:g}": Pair(p, q) for p, q in permutations(EXPONENTS, 2)}


def run_of(runs: Runs, family: str, p: float) -> Run:
    """Return the run ``<family>_<p>``, such as exact_175."""
    return runs[f"{family}_{_suffix(p)}"]


def start_of(series: Series, p: float) -> Series:
    """Return the columns of a series for exponent p, in a run that has one start for each of EXPONENTS, in order."""
    return series.starts(EXPONENTS.index(p))


def divergence(run: Run, q: float) -> Series:
    """Return the directional Bregman divergence of a run from the SVM in the norm q."""
    return run[f"bregman_q{_suffix(q)}"]


def divergence_of_own_tokens(run: Run, q: float) -> Series:
    """Return the directional Bregman divergence of a run from the SVM in the norm q of the tokens that the run selects.

    In runs of the published protocol, the SVM of ``divergence`` is that of the tokens that the run with exponent q
    selects.
    """
    return run[f"bregman_own_q{_suffix(q)}"]


def log_change(series: Series, first: int, last: int) -> Sample:
    """Return ln of a series at step ``last`` minus ln at step ``first``, for every data set."""
    return Sample.of(series.log().at(last) - series.log().at(first), "data set")


def _suffix(exponent: float) -> str:
    return f"{exponent:g}".replace(".", "")
