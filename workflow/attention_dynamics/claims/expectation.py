"""What a claim expects of the measured numbers."""

import math
from collections.abc import Sequence
from typing import Self

from pydantic import model_validator

from attention_dynamics.types import NonNegative, Strict

Numbers = float | list[float]


class Expectation(Strict):
    """Exactly one of ``at_least``, ``at_most``, ``equals`` and ``near``.

    at_least, at_most: bounds that every measured number must meet.
    equals: the numbers, exactly.
    near: the numbers, each up to ``within`` (absolute) or ``within_percent`` (of the expected number).
    A single expected number stands for all the measured ones.
    """

    at_least: float | None = None
    at_most: float | None = None
    equals: Numbers | None = None
    near: Numbers | None = None
    within: NonNegative | None = None
    within_percent: NonNegative | None = None

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        given = [n for n in ("at_least", "at_most", "equals", "near") if getattr(self, n) is not None]
        if len(given) != 1:
            raise ValueError("give exactly one of at_least, at_most, equals, near")
        tolerances = [n for n in ("within", "within_percent") if getattr(self, n) is not None]
        if len(tolerances) != (given == ["near"]):
            raise ValueError("near needs one of within, within_percent; the other forms need none")
        return self

    def holds(self, measured: Sequence[float]) -> bool:
        """Whether the measured numbers are as expected. NaN never is; nothing measured never is.

        Raises ValueError for a list of expected numbers of another length.
        """
        if not measured or any(math.isnan(number) for number in measured):
            return False
        if self.at_least is not None:
            return min(measured) >= self.at_least
        if self.at_most is not None:
            return max(measured) <= self.at_most
        expected = self.equals if self.equals is not None else self.near
        expected = expected if isinstance(expected, list) else [expected] * len(measured)
        if len(expected) != len(measured):
            raise ValueError(f"{len(expected)} numbers are expected, {len(measured)} were measured")
        return all(abs(m - e) <= self._tolerance(e) or m == e for m, e in zip(measured, expected, strict=True))

    def _tolerance(self, expected: float) -> float:
        return (self.within or 0.0) + abs(expected) * (self.within_percent or 0.0) / 100

    def __str__(self) -> str:
        if self.at_least is not None:
            return f">= {show([self.at_least])}"
        if self.at_most is not None:
            return f"<= {show([self.at_most])}"
        expected = self.equals if self.equals is not None else self.near
        numbers = show(expected if isinstance(expected, list) else [expected])
        if self.equals is not None:
            return f"= {numbers}"
        return f"{numbers} +- {self.within:g}" if self.within is not None else f"{numbers} +- {self.within_percent:g} %"


def show(numbers: Sequence[float]) -> str:
    """Numbers as the ledger prints them: enough digits to tell 0.9998 from 1, no more."""
    return " ".join(f"{number:.6g}" for number in numbers)
