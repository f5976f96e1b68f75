"""What a claim expects of the measured numbers."""

import math
from collections.abc import Sequence
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from attention_dynamics.registry import Frozen
from attention_dynamics.types import Count, Counts, NonNegative, Probability, Several

FORMS = ("at_least", "at_most", "equals", "near", "like", "reported")
Numbers = float | Several[float]


class Expectation(Frozen):
    """Exactly one of ``at_least``, ``at_most``, ``equals``, ``near``, ``like`` and ``reported``.

    at_least, at_most: bounds that every measured number must meet.
    equals: the numbers, exactly.
    near: the numbers, each up to ``within`` (absolute) or ``within_percent`` (of the expected number).
    like: shares in other samples, of so many trials (``of``), which Fisher's exact test at ``significance`` cannot tell
        from the measured ones.
    reported: nothing is expected, the measured numbers are shown and not judged.
    A single expected number, or size of a sample, stands for all of them; ``like`` is a list.
    """

    at_least: float | None = None
    at_most: float | None = None
    equals: Numbers | None = None
    near: Numbers | None = None
    within: NonNegative | None = None
    within_percent: NonNegative | None = None
    like: Several[Probability] | None = None
    of: Count | Counts | None = None
    significance: Annotated[float, Field(gt=0, lt=1)] | None = None
    reported: Literal[True] | None = None

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        given = [name for name in FORMS if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"give exactly one of {', '.join(FORMS)}")
        tolerances = [n for n in ("within", "within_percent") if getattr(self, n) is not None]
        if len(tolerances) != (given == ["near"]):
            raise ValueError("near needs one of within, within_percent; the other forms need none")
        if [self.of is not None, self.significance is not None] != 2 * [given == ["like"]]:
            raise ValueError("like needs of and significance; the other forms need neither")
        return self

    def holds(self, measured: Sequence[float], sizes: Sequence[int] = ()) -> bool:
        """Whether the measured numbers are as expected. NaN never is; nothing measured never is.

        sizes: of the samples that shares were measured in.
        Raises ValueError for a list of expected numbers of another length, for ``like`` without sizes, and for
        ``reported``.
        """
        if self.reported:
            raise ValueError("nothing is expected")
        if not measured or any(math.isnan(number) for number in measured):
            return False
        if self.at_least is not None:
            return min(measured) >= self.at_least
        if self.at_most is not None:
            return max(measured) <= self.at_most
        if self.like is not None:
            # Takes half a second to import, and configurations are checked without it.
            from attention_dynamics.claims.estimate import same_share

            others, trials = _as_many(self.like, measured), _as_many(self.of, measured)
            rows = zip(measured, _as_many(list(sizes), measured), others, trials, strict=True)
            p_values = [same_share(round(m * size), size, round(share * of), of) for m, size, share, of in rows]
            return min(p_values) >= self.significance
        expected = _as_many(self.equals if self.equals is not None else self.near, measured)
        return all(abs(m - e) <= self._tolerance(e) or m == e for m, e in zip(measured, expected, strict=True))

    def _tolerance(self, expected: float) -> float:
        return (self.within or 0.0) + abs(expected) * (self.within_percent or 0.0) / 100

    def __str__(self) -> str:
        if self.reported:
            return "reported"
        if self.at_least is not None:
            return f">= {show([self.at_least])}"
        if self.at_most is not None:
            return f"<= {show([self.at_most])}"
        if self.like is not None:
            trials = show(self.of if isinstance(self.of, tuple) else [self.of])
            return f"like {show(self.like)} in samples of {trials} (p >= {self.significance:g})"
        expected = self.equals if self.equals is not None else self.near
        numbers = show([expected] if isinstance(expected, int | float) else expected)
        if self.equals is not None:
            return f"= {numbers}"
        return f"{numbers} +- {self.within:g}" if self.within is not None else f"{numbers} +- {self.within_percent:g} %"


def _as_many(expected: float | Sequence[float], measured: Sequence[float]) -> list[float]:
    expected = [expected] * len(measured) if isinstance(expected, int | float) else list(expected)
    if len(expected) != len(measured):
        raise ValueError(f"{len(expected)} numbers are expected, {len(measured)} were measured")
    return expected


def show(numbers: Sequence[float]) -> str:
    """Numbers as the ledger prints them: enough digits to tell 0.9998 from 1, no more."""
    return " ".join(f"{number:.6g}" for number in numbers)


def show_intervals(intervals: Sequence[Sequence[float]]) -> str:
    """Intervals as the ledger prints them, to three digits."""
    return " ".join(f"[{low:.3g}, {high:.3g}]" for low, high in intervals)
