"""Measured numbers of a claim, and the expectations that they are compared with."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from attention_dynamics.claims.estimate import Estimate, same_share
from attention_dynamics.problems.problem import Array

Numbers = float | Sequence[float] | Array
Measured = float | Array | Estimate | Iterable["float | Array | Estimate"]


class Expectation(NamedTuple):
    """text: as the ledger prints it. met_by: whether measured numbers (k,) are as expected, or None where nothing is.

    of_samples: the numbers are shares, and ``met_by`` takes the sizes of their samples too.
    """

    text: str
    met_by: Callable[..., bool] | None
    of_samples: bool = False


class Check(NamedTuple):
    """measured: numbers (k,). estimates: those of them that are drawn from samples."""

    measured: Array
    estimates: list[Estimate]
    expectation: Expectation

    def verdict(self, expectation: Expectation | None = None) -> str:
        """Return held, failed or reported. NaN never holds; nothing measured never does.

        expectation: in place of the claim's own. Raises ValueError for ``like`` of numbers that are no shares.
        """
        expected = expectation or self.expectation
        if expected.met_by is None:
            return "reported"
        if expected.of_samples and len(self.estimates) != len(self.measured):
            raise ValueError("only shares can be compared with those of samples")
        if not len(self.measured) or np.isnan(self.measured).any():
            return "failed"
        sizes = [[estimate.size for estimate in self.estimates]] if expected.of_samples else []
        return "held" if expected.met_by(self.measured, *sizes) else "failed"


def check(measured: Measured, expectation: Expectation) -> Check:
    """Return measured numbers beside what is expected of them.

    measured: a number, an array, an estimate, or any number of these, which are joined.
    """
    single = isinstance(measured, Estimate | float | int | np.ndarray | np.generic)
    parts = [measured] if single else list(measured)  # type: ignore[arg-type]
    estimates = [part for part in parts if isinstance(part, Estimate)]
    numbers = [np.ravel(part.value if isinstance(part, Estimate) else part) for part in parts]
    return Check(np.concatenate(numbers or [[]]).astype(float), estimates, expectation)


def at_least(bound: Numbers) -> Expectation:
    """Every number is at least the bound, or each at least its own."""
    return Expectation(f">= {show(bound)}", lambda measured: bool((measured >= _fit(bound, measured)).all()))


def at_most(bound: Numbers) -> Expectation:
    """Every number is at most the bound, or each at most its own."""
    return Expectation(f"<= {show(bound)}", lambda measured: bool((measured <= _fit(bound, measured)).all()))


def equals(expected: Numbers) -> Expectation:
    """The numbers, exactly; a single expected number stands for all."""
    return Expectation(f"= {show(expected)}", lambda measured: bool((measured == _fit(expected, measured)).all()))


def near(expected: Numbers, *, within: float | None = None, within_percent: float | None = None) -> Expectation:
    """The numbers, each up to ``within`` (absolute) or up to ``within_percent`` of the expected one.

    A single expected number stands for all. Raises ValueError unless one tolerance is given.
    """
    if (within is None) == (within_percent is None):
        raise ValueError("near needs one of within, within_percent")

    def met_by(measured: Array) -> bool:
        wanted = _fit(expected, measured)
        tolerance = within if within is not None else np.abs(wanted) * (within_percent or 0.0) / 100
        # Equal infinities differ by NaN.
        with np.errstate(invalid="ignore"):
            return bool(((np.abs(measured - wanted) <= tolerance) | (measured == wanted)).all())

    margin = f"{within:g}" if within is not None else f"{within_percent:g} %"
    return Expectation(f"{show(expected)} +- {margin}", met_by)


def like(shares: Numbers, *, of: Numbers, significance: float) -> Expectation:
    """Shares in other samples, of so many trials, which Fisher's exact test cannot tell from the measured ones.

    of: the size of each of the other samples, or of all. significance: the smallest p-value that is accepted.
    """

    def met_by(measured: Array, sizes: list[int]) -> bool:
        others, trials = (np.broadcast_to(_fit(numbers, measured), measured.shape) for numbers in (shares, of))
        rows = zip(measured, sizes, others, trials.astype(int).tolist(), strict=True)
        return all(same_share(round(m * size), size, round(s * n), n) >= significance for m, size, s, n in rows)

    return Expectation(f"like {show(shares)} in samples of {show(of)} (p >= {significance:g})", met_by, of_samples=True)


# Nothing is expected: the measured numbers are shown and not judged.
REPORTED = Expectation("reported", None)


def show(numbers: Numbers) -> str:
    """Return numbers as the ledger prints them: enough digits to tell 0.9998 from 1, no more."""
    return " ".join(f"{number:.6g}" for number in np.ravel(numbers))


def show_intervals(estimates: Iterable[Estimate]) -> str:
    """Return confidence intervals as the ledger prints them, to three digits."""
    return " ".join(f"[{one.low:.3g}, {one.high:.3g}]" for one in estimates if one.size)


def _fit(expected: Numbers, measured: Array) -> Array:
    """Return the expected numbers as an array. Raises ValueError unless there is one, or as many as measured."""
    wanted = np.ravel(np.asarray(expected, dtype=float))
    if len(wanted) not in (1, len(measured)):
        raise ValueError(f"{len(wanted)} numbers are expected, {len(measured)} were measured")
    return wanted
