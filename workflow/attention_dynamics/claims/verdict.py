"""From numbers with intervals, and what is allowed, to a verdict."""

from collections.abc import Sequence
from enum import StrEnum

import numpy as np

from attention_dynamics.problems.problem import Array
from attention_dynamics.series.confidence import CONFIDENCE, Estimate, holm


class Verdict(StrEnum):
    """Verdict on a claim. Compatible: equality is not excluded. Not tested: at this scale or with these data."""

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"
    COMPATIBLE = "compatible"
    REPORTED = "reported"
    NOT_TESTED = "not tested"


# Verdicts from worst to best. The verdict on several numbers is the worst of theirs.
ORDER = (Verdict.FAILS, Verdict.REPORTED, Verdict.UNDECIDED, Verdict.COMPATIBLE, Verdict.HOLDS)


def judge_numbers(measured: Sequence[float | Estimate], low: Array, high: Array) -> list[Verdict]:
    """Return the verdict on each number. low, high: the smallest and largest allowed number for each.

    A plain number is compared as it is, and NaN never meets an expectation. An estimate holds if its whole interval
    meets the expectation. It fails if no part does, with p-values that are corrected for their number by Holm's method.
    An interval that contains the one expected number is compatible with it. One unit has no interval: reported.
    """
    values = np.array([value_of(one) for one in measured])
    meets = (low <= values) & (values <= high)
    nearest = np.clip(values, low, high)
    places = [place for place, one in enumerate(measured) if isinstance(one, Estimate) and one.method]
    p_values = np.ones(len(measured))
    p_values[places] = holm([1.0 if meets[k] else measured[k].p_value(nearest[k]) for k in places])  # type: ignore[union-attr]

    verdicts = []
    for one, smallest, largest, met, p_value in zip(measured, low, high, meets, p_values, strict=True):
        if not isinstance(one, Estimate):
            verdicts.append(Verdict.HOLDS if met else Verdict.FAILS)
        elif not one.method:
            verdicts.append(Verdict.REPORTED)
        elif smallest <= one.low and one.high <= largest:
            verdicts.append(Verdict.HOLDS)
        elif np.isnan(one.value) or p_value < 1 - CONFIDENCE:
            verdicts.append(Verdict.FAILS)
        else:
            verdicts.append(Verdict.COMPATIBLE if smallest == largest else Verdict.UNDECIDED)
    return verdicts


def value_of(measured: float | Estimate) -> float:
    """Return a number as it is, and the value of an estimate."""
    return measured.value if isinstance(measured, Estimate) else measured
