"""Measured numbers of a claim, and the expectations that they are compared with."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from attention_dynamics.claims.verdict import ORDER, Verdict, judge_numbers
from attention_dynamics.problems.problem import Array
from attention_dynamics.series.confidence import Estimate, Sample, estimate_mean

Numbers = float | Sequence[float] | Array
Measured = float | Array | Estimate | Iterable["float | Array | Estimate"]


class Expectation(NamedTuple):
    """The numbers that a claim allows.

    text: printed in the ledger. low, high: the smallest and largest allowed number, the same for all measured numbers
    or one for each; NaN if nothing is expected. published: True if the expected numbers are in a text or output of the
    authors.
    """

    text: str
    low: Numbers = np.nan
    high: Numbers = np.nan
    published: bool = False

    @property
    def judges(self) -> bool:
        """True if something is expected, so that the measured numbers are judged."""
        return not np.isnan(self.low).all()

    def bounds(self, count: int) -> tuple[Array, Array]:
        """Return the smallest and the largest allowed number for each of ``count`` measured numbers, both (count,).

        Raises ValueError unless there is one bound or ``count`` of them.
        """
        return _match_length(self.low, count), _match_length(self.high, count)


class Check(NamedTuple):
    """Measured numbers, some of which may be estimates from samples, and the expectation for them.

    cases: name -> estimate for a part of the claimed sentence, such as one panel of a figure; each part gets a
        separate verdict.
    remark: printed after the numbers.
    """

    measured: Sequence[float | Estimate]
    expectation: Expectation
    cases: Mapping[str, Estimate] = MappingProxyType({})
    remark: str = ""

    @property
    def estimates(self) -> list[Estimate]:
        """The estimates among the measured numbers."""
        return [one for one in self.measured if isinstance(one, Estimate)]

    def verdict(self) -> Verdict:
        """Return the worst of the verdicts on the measured numbers.

        REPORTED if nothing is expected, FAILS if something is expected but no number was measured.
        """
        if not self.expectation.judges:
            return Verdict.REPORTED
        verdicts = judge_numbers(self.measured, *self.expectation.bounds(len(self.measured)))
        return next((one for one in ORDER if one in verdicts), Verdict.FAILS)

    def case_verdicts(self) -> dict[str, Verdict]:
        """Return the verdict on each case."""
        if not self.cases:
            return {}
        bounds = self.expectation.bounds(len(self.cases))
        return dict(zip(self.cases, judge_numbers(list(self.cases.values()), *bounds), strict=True))

    def units_needed(self) -> int | None:
        """Return how many units (such as seeds) would decide all undecided estimates, each with probability POWER.

        None if an undecided estimate cannot be decided (see ``Estimate.units_needed``), or if none is undecided.
        """
        low, high = self.expectation.bounds(len(self.measured))
        verdicts = judge_numbers(self.measured, low, high)
        needed = [
            # Only the bound that is nearer to the value counts, because the other one may be infinite.
            one.units_needed(smallest if abs(one.value - smallest) <= abs(one.value - largest) else largest)
            for one, verdict, smallest, largest in zip(self.measured, verdicts, low, high, strict=True)
            if isinstance(one, Estimate) and verdict == Verdict.UNDECIDED
        ]
        known = [units for units in needed if units is not None]
        return max(known) if known and len(known) == len(needed) else None


def check(measured: Measured, expectation: Expectation, cases: Mapping[str, Estimate] | None = None) -> Check:
    """Return the check that compares measured numbers with an expectation.

    measured: a number, an array, an estimate, or a sequence of these, whose numbers are put into one list. cases: see
    ``Check``.
    """
    single = isinstance(measured, Estimate | float | int | np.ndarray | np.generic)
    numbers: list[float | Estimate] = []
    for part in [measured] if single else measured:  # type: ignore[union-attr, list-item]
        numbers += [part] if isinstance(part, Estimate) else map(float, np.ravel(part))
    return Check(numbers, expectation, cases or {})


def check_cases(cases: Mapping[str, Sample], expectation: Expectation) -> Check:
    """Return the check of a mean over all cases of a sentence. Its ``cases`` are the means of the single cases.

    cases: name -> sample. Raises ValueError unless all samples have the same draws, such as seeds.
    """
    first, *others = cases.values()
    if any(one.draws != first.draws for one in others):
        raise ValueError("the cases of a sentence need the same draws")
    whole = Sample(np.mean([one.values for one in cases.values()], axis=0), first.draws, first.unit)
    return check(estimate_mean(whole), expectation, {name: estimate_mean(one) for name, one in cases.items()})


def at_least(bound: Numbers) -> Expectation:
    """Expect every number to be at least the bound. A sequence gives one bound for each number."""
    return Expectation(f">= {format_numbers(bound)}", bound, np.inf)


def at_most(bound: Numbers) -> Expectation:
    """Expect every number to be at most the bound. A sequence gives one bound for each number."""
    return Expectation(f"<= {format_numbers(bound)}", -np.inf, bound)


def equals(expected: Numbers, *, published: bool = False) -> Expectation:
    """Expect exactly these numbers, one for each measured number, or one for all.

    An estimate whose interval has more than one point cannot hold; it is compatible with the number, or fails.
    published: see ``Expectation``.
    """
    return Expectation(f"= {format_numbers(expected)}", expected, expected, published)


def near(
    expected: Numbers, *, within: float | None = None, within_percent: float | None = None, published: bool = False
) -> Expectation:
    """Expect these numbers, up to ``within`` (absolute) or ``within_percent`` of the expected number.

    expected: one number for each measured number, or one for all. published: see ``Expectation``.
    Raises ValueError unless exactly one tolerance is given.
    """
    if (within is None) == (within_percent is None):
        raise ValueError("near() needs exactly one of within and within_percent")
    wanted = np.asarray(expected, dtype=float)
    margin = within if within is not None else np.abs(wanted) * (within_percent or 0.0) / 100
    margin = np.where(np.isinf(wanted), 0, margin)  # No finite number is near infinity.
    text = f"{within:g}" if within is not None else f"{within_percent:g} %"
    return Expectation(f"{format_numbers(expected)} +- {text}", wanted - margin, wanted + margin, published)


# No expectation: the measured numbers are printed and not judged.
REPORTED = Expectation("reported")


def format_numbers(numbers: Numbers) -> str:
    """Return numbers as the ledger prints them, with six significant digits, so that 0.9998 does not look like 1."""
    return " ".join(f"{number:.6g}" for number in np.ravel(numbers))


def _match_length(expected: Numbers, size: int) -> Array:
    """Return ``expected``, one number or ``size`` numbers, in shape (size,). Raises ValueError for another count."""
    wanted = np.ravel(np.asarray(expected, dtype=float))
    if len(wanted) not in (1, size):
        raise ValueError(f"the expectation has {len(wanted)} numbers, but {size} were measured")
    return np.broadcast_to(wanted, (size,))
