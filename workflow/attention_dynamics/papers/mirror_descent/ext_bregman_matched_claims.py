"""Claims about divergences from SVMs of the same tokens: the part of the published gap that the norm explains.

The published protocol differs from the runs of this figure in two things. Its SVMs in other norms are of the tokens
that other runs select, and its arithmetic has a guard and cancels. The control changes the tokens alone.
"""

from attention_dynamics.claims.claim import CHOSEN, FULL_SCALES, RECOMPUTED, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, near
from attention_dynamics.claims.results import Runs
from attention_dynamics.claims.series import Series
from attention_dynamics.claims.statistics import mean, share_above
from attention_dynamics.papers.mirror_descent.protocol import (
    EXPONENTS,
    PAIRS,
    Pair,
    divergence,
    divergence_of_own_tokens,
    run_of,
)

OWN_START_SOURCE = "value of an independent computation with its own W(0)"

# Mean divergences at the end in an independent computation with its own W(0).
OWN_NORM = {1.75: 0.0032, 2: 0.0035, 3: 0.0047}
OTHER_NORM = {
    Pair(1.75, 2): 0.0111, Pair(1.75, 3): 0.0722, Pair(2, 1.75): 0.0113,
    Pair(2, 3): 0.0385, Pair(3, 1.75): 0.0974, Pair(3, 2): 0.0503,
}  # fmt: skip


@claim(
    "ext_bregman_matched",
    says="Path p = {case} without guard and cancellation ends at its own SVM: mean divergence from the l_p-AttSVM at "
    "the end",
    cases=EXPONENTS,
    basis=RECOMPUTED,
    source=f"{OWN_START_SOURCE}; the tolerance is ours",
    scales=FULL_SCALES,
)
def own_norm(runs: Runs, case: float) -> Check:
    run = run_of(runs, "matched", case)
    return check(mean(divergence(run, case).at(run.last_step)), near(OWN_NORM[case], within_percent=50))


@claim(
    "ext_bregman_matched",
    says="With p = {case}, the path ends closest to its own SVM among those with q = 1.75, 2 and 3 of the same "
    "tokens: share of data sets",
    cases=EXPONENTS,
    basis=CHOSEN,
    source="0.99 and more in an independent computation; the threshold is ours",
    scales=FULL_SCALES,
)
def own_is_nearest(runs: Runs, case: float) -> Check:
    run = run_of(runs, "matched", case)
    return check(share_above(run["own_norm_is_nearest"].at(run.last_step)), at_least(0.95))


@claim(
    "ext_bregman_matched",
    says="Path p = {case.p} ends as far from the SVM with q = {case.q} of the same tokens as in an independent "
    "computation: mean divergence at the end",
    cases=PAIRS,
    basis=RECOMPUTED,
    source=f"{OWN_START_SOURCE}; the tolerance is ours",
    scales=FULL_SCALES,
)
def other_norm(runs: Runs, case: Pair) -> Check:
    run = run_of(runs, "matched", case.p)
    return check(mean(divergence(run, case.q).at(run.last_step)), near(OTHER_NORM[case], within_percent=25))


@claim(
    "ext_bregman_matched",
    says="With p = {case.p}, most of the published divergence from the SVM with q = {case.q} is due to other tokens: "
    "mean from the SVM of the path's own tokens over that of the other run's, both in published arithmetic",
    cases=PAIRS,
    basis=CHOSEN,
    source="below one half is most of it",
    scales=FULL_SCALES,
)
def tokens_alone(runs: Runs, case: Pair) -> Check:
    run = run_of(runs, "bregman", case.p)
    own, other = (series.at(run.last_step).mean() for series in _published(runs, case))
    return check(own / other, at_most(0.5))


@claim(
    "ext_bregman_matched",
    says="With p = {case.p}, guard and cancellation add little to the divergence from the SVM with q = {case.q}: "
    "difference of the mean divergences in published and in exact arithmetic, from SVMs of the path's own tokens, over "
    "that from the SVM of the other run's tokens, which is published",
    cases=PAIRS,
    basis=CHOSEN,
    source="a tenth is little; the threshold is ours",
    scales=FULL_SCALES,
)
def arithmetic_alone(runs: Runs, case: Pair) -> Check:
    last = run_of(runs, "bregman", case.p).last_step
    own, other = (series.at(last).mean() for series in _published(runs, case))
    exact = divergence(run_of(runs, "matched", case.p), case.q).at(last).mean()
    return check(abs(own - exact) / other, at_most(0.1))


@claim(
    "ext_bregman_matched",
    says="With p = {case}, the tokens selected without guard and cancellation are locally optimal, each of a higher "
    "score than its neighbors in the l_p-AttSVM: share of data sets",
    cases=EXPONENTS,
    basis=CHOSEN,
    source="0.97 to 0.99 in an independent computation; the threshold is ours",
    scales=FULL_SCALES,
)
def locally_optimal(runs: Runs, case: float) -> Check:
    run = run_of(runs, "matched", case)
    return check(share_above(run["locally_optimal"].at(run.last_step)), at_least(0.93))


def _published(runs: Runs, case: Pair) -> tuple[Series, Series]:
    """Return divergences in the published arithmetic, from SVMs of the path's own tokens and of the other run's."""
    run = run_of(runs, "bregman", case.p)
    return divergence_of_own_tokens(run, case.q), divergence(run, case.q)
