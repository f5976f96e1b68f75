"""Claims about Fig 10: the distribution of the minimum score gap begins at zero."""

from typing import NamedTuple

from attention_dynamics.claims.claim import CHOSEN, FULL_SCALES, claim
from attention_dynamics.claims.expectation import Check, at_most, check
from attention_dynamics.claims.results import Results
from attention_dynamics.papers.max_margin.random_problems import HIGH_DIMENSIONS, shares


class LowDimension(NamedTuple):
    """A dimension, and the share of negative gaps that we allow there."""

    d: int
    largest_share: float


@claim(
    "fig10",
    says="Sharp transition at zero: share of the saturated problems below it, d >= 10",
    basis=CHOSEN,
    source="Appendix E, Fig 10; the threshold is ours",
    scales=FULL_SCALES,
)
def below_zero(random_small: Results) -> Check:
    return check(shares(random_small, "negative_gap", HIGH_DIMENSIONS, among="saturated"), at_most(0.01))


@claim(
    "fig10",
    cases={"5": LowDimension(5, 0.03), "2": LowDimension(2, 0.1)},
    says="The same at d = {case.d}",
    basis=CHOSEN,
    source="Appendix E, Fig 10; the threshold is ours",
    scales=FULL_SCALES,
)
def below_zero_at(random_small: Results, case: LowDimension) -> Check:
    return check(shares(random_small, "negative_gap", [case.d], among="saturated"), at_most(case.largest_share))
