"""Verdicts on measured numbers and on estimates with confidence intervals."""

from collections.abc import Sequence
from enum import StrEnum

import numpy as np

from attention_dynamics.problems.problem import Array
from attention_dynamics.series.confidence import CONFIDENCE, Estimate, holm


class Verdict(StrEnum):
    """Verdict on a claim.

    COMPATIBLE: the interval does not exclude the one expected number. REPORTED: nothing is expected, or an estimate has
    no interval, because its sample is too small. NOT_TESTED: the claim is about another scale, other data, or a step
    that a shortened run does not reach.
    """

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"
    COMPATIBLE = "compatible"
    REPORTED = "reported"
    NOT_TESTED = "not tested"


# Verdicts from worst to best. The verdict on several numbers is the worst of the verdicts on each.
ORDER = (Verdict.FAILS, Verdict.REPORTED, Verdict.UNDECIDED, Verdict.COMPATIBLE, Verdict.HOLDS)


def judge_numbers(measured: Sequence[float | Estimate], low: Array, high: Array) -> list[Verdict]:
    """Return the verdict on each number. low, high: the smallest and largest allowed number for each.

    A plain number holds if low <= number <= high. It fails otherwise, also if it is NaN. An estimate without an
    interval, from too small a sample, is reported. Any other estimate holds if its whole 95 % interval is allowed. It
    fails if even the nearest allowed number has a p-value below 5 %, after Holm's correction for the number of
    estimates, or if it is NaN. Otherwise it is compatible if low = high, and undecided if not.
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
    """Return the value of an estimate; a plain number is returned as it is."""
    return measured.value if isinstance(measured, Estimate) else measured
