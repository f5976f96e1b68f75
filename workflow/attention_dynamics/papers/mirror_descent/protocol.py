"""The published protocol: its exponents, and how far its paths end from SVMs in the three norms.

A run is named after the exponent of its path, a reference after the norm of its SVM: 175 stands for 1.75.
"""

from itertools import permutations
from typing import NamedTuple

from attention_dynamics.run import Run, Runs
from attention_dynamics.series.series import Series

EXPONENTS = (1.75, 2, 3)


class Pair(NamedTuple):
    """A path with exponent p, and an SVM in another norm q."""

    p: float
    q: float


PAIRS = {f"{p:g}-{q:g}": Pair(p, q) for p, q in permutations(EXPONENTS, 2)}


# In claims q is the exponent of an SVM's norm, and a path's "own" SVM is the one with q = p.


def run_of(runs: Runs, family: str, p: float) -> Run:
    """Return the run ``<family>_<p>``, such as exact_175."""
    return runs[f"{family}_{_suffix(p)}"]


def divergence(run: Run, q: float) -> Series:
    """Return the directional Bregman divergence of a run from the SVM in the norm q."""
    return run[f"bregman_q{_suffix(q)}"]


def divergence_of_own_tokens(run: Run, q: float) -> Series:
    """Return the directional Bregman divergence of a run from the SVM, in the norm q, of the tokens that it selects.

    In runs of the published protocol, ``divergence`` is from the SVM of the tokens that another run, with q, selects.
    """
    return run[f"bregman_own_q{_suffix(q)}"]


def _suffix(exponent: float) -> str:
    return f"{exponent:g}".replace(".", "")
