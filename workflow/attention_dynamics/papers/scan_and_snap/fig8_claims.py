"""Claims about Fig 8: the decoder's logit in steps, h*, and in continuous time, h, for five learning rates.

The series ``scaled_gap`` is (h* - h) M / eta_Y. The step of h* and the slope of h are phi(h) =
eta_Y / (M - 1 + exp(M h)).
"""

from attention_dynamics.claims.claim import CHOSEN, DERIVED, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check
from attention_dynamics.run import Runs
from attention_dynamics.series.statistics import largest, smallest

# Sizes M of the vocabulary: the panels.
SIZES = (50, 1000)


@claim(
    "fig8",
    says="With M = {case} tokens the decoder's logit in steps, h*, is never below that in continuous time, h: smallest "
    "(h* - h) M / eta_Y over 20,000 steps and five learning rates, up to rounding",
    cases=SIZES,
    basis=DERIVED,
    source="as in the proof of Lemma 7: h cannot cross the broken line through h*(s) from below, because where they "
    "meet after step s its slope phi(h) is at most the line's phi(h*(s)), as phi decreases",
)
def never_below(runs: Runs, case: int) -> Check:
    return check(smallest(runs[f"logit_{case}"]["scaled_gap"]).min(), at_least(-1e-9))


@claim(
    "fig8",
    says="With M = {case} tokens the decoder's logit in steps, h*, exceeds that in continuous time, h, by at most "
    "eta_Y / M at whole steps: largest (h* - h) M / eta_Y over 20,000 steps, for the five learning rates",
    cases=SIZES,
    basis=DERIVED,
    source="as in the proof of Lemma 7: if h(s + 1) >= h*(s), then h* - h at s + 1 is at most the step phi(h*(s)) <= "
    "eta_Y / M; if not, h rises faster than h* from s to s + 1 and the gap shrinks",
)
def bounded(runs: Runs, case: int) -> Check:
    return check(largest(runs[f"logit_{case}"]["scaled_gap"]), at_most(1))


@claim(
    "fig8",
    says="With M = {case} tokens the difference of the decoder's logits in steps, h*, and in continuous time, h, "
    "vanishes (Lemma 7 b): (h* - h) M / eta_Y at t = 20,000, below two percent of its largest value, for the five "
    "learning rates",
    cases=SIZES,
    basis=CHOSEN,
    source="Lemma 7 (b); the threshold is ours, chosen after seeing 1.1 percent",
)
def gap_vanishes(runs: Runs, case: int) -> Check:
    return check(runs[f"logit_{case}"]["scaled_gap"].at(20000), at_most(0.0037))
