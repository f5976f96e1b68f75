"""Measured numbers of a claim, and the expectations that they are compared with."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from attention_dynamics.problems.problem import Array
from attention_dynamics.series.confidence import Estimate

Numbers = float | Sequence[float] | Array
Measured = float | Array | Estimate | Iterable["float | Array | Estimate"]


class Expectation(NamedTuple):
    """An expectation of measured numbers.

    text: printed in the ledger. met_by: function of the measured numbers (k,) that returns whether they are as
    expected; None for no expectation.
    """

    text: str
    met_by: Callable[[Array], bool] | None


class Check(NamedTuple):
    """Measured numbers (k,) and the expectation.

    estimates: those of the numbers that are estimated from samples. remark: printed behind the numbers.
    """

    measured: Array
    estimates: list[Estimate]
    expectation: Expectation
    remark: str = ""

    def verdict(self) -> str:
        """Return held, failed or reported. NaN never holds; nothing measured never does."""
        expected = self.expectation
        if expected.met_by is None:
            return "reported"
        if not len(self.measured) or np.isnan(self.measured).any():
            return "failed"
        return "held" if expected.met_by(self.measured) else "failed"


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
    """Expect every number to be at least the bound; several bounds are one for each number."""
    return Expectation(
        f">= {format_numbers(bound)}", lambda measured: bool((measured >= _match_length(bound, measured)).all())
    )


def at_most(bound: Numbers) -> Expectation:
    """Expect every number to be at most the bound; several bounds are one for each number."""
    return Expectation(
        f"<= {format_numbers(bound)}", lambda measured: bool((measured <= _match_length(bound, measured)).all())
    )


def equals(expected: Numbers) -> Expectation:
    """Expect exactly these numbers; a single one is expected of all."""
    return Expectation(
        f"= {format_numbers(expected)}", lambda measured: bool((measured == _match_length(expected, measured)).all())
    )


def near(expected: Numbers, *, within: float | None = None, within_percent: float | None = None) -> Expectation:
    """Expect these numbers, up to ``within`` (absolute) or ``within_percent`` of the expected number.

    A single number is expected of all. Raises ValueError unless one tolerance is given.
    """
    if (within is None) == (within_percent is None):
        raise ValueError("near() needs exactly one of within and within_percent")

    def met_by(measured: Array) -> bool:
        wanted = _match_length(expected, measured)
        tolerance = within if within is not None else np.abs(wanted) * (within_percent or 0.0) / 100
        # Equal infinities differ by NaN.
        with np.errstate(invalid="ignore"):
            return bool(((np.abs(measured - wanted) <= tolerance) | (measured == wanted)).all())

    margin = f"{within:g}" if within is not None else f"{within_percent:g} %"
    return Expectation(f"{format_numbers(expected)} +- {margin}", met_by)


# No expectation: the measured numbers are printed and not judged.
REPORTED = Expectation("reported", None)


def format_numbers(numbers: Numbers) -> str:
    """Return numbers as the ledger prints them, with six digits, which tell 0.9998 from 1."""
    return " ".join(f"{number:.6g}" for number in np.ravel(numbers))


def format_intervals(estimates: Iterable[Estimate]) -> str:
    """Return confidence intervals as the ledger prints them, to three digits."""
    return " ".join(f"[{one.low:.3g}, {one.high:.3g}]" for one in estimates if one.size)


def _match_length(expected: Numbers, measured: Array) -> Array:
    """Return the expected numbers as an array. Raises ValueError unless there is one, or as many as measured."""
    wanted = np.ravel(np.asarray(expected, dtype=float))
    if len(wanted) not in (1, len(measured)):
        raise ValueError(f"the expectation has {len(wanted)} numbers, but {len(measured)} were measured")
    return wanted
