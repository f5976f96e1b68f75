"""Claims about the mean directional Bregman divergence over 100 data sets."""

from collections.abc import Collection

from attention_dynamics.claims.claim import AUTHORS_CODE, CHOSEN, DERIVED, FULL_SCALES, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, check_cases
from attention_dynamics.papers.mirror_descent.protocol import PAIRS, divergence, run_of
from attention_dynamics.run import Run, Runs
from attention_dynamics.series.confidence import Sample
from attention_dynamics.series.statistics import largest_increase


@claim(
    statement="picture-bregman",
    says="Path p = 3 ends closer to its own SVM than to those with q = 2 and 1.75, which are of the tokens that other "
    "runs select: divergence from the other minus from the own, mean over data sets and q",
    basis=AUTHORS_CODE,
    source="stored picture of the published code, p = 3",
    scales=FULL_SCALES,
)
def own_is_closer(runs: Runs) -> Check:
    return _own_is_closer(runs, [3])


@claim(
    says="Paths p = 1.75 and 2, too, end closer to their own SVM than to those in other norms: divergence from the "
    "other minus from the own, mean over data sets, p and q",
    basis=DERIVED,
    source="the algorithm maximizes the margin in its own norm; the published pictures of these p are not stored",
    scales=FULL_SCALES,
)
def own_is_closer_elsewhere(runs: Runs) -> Check:
    return _own_is_closer(runs, [1.75, 2])


@claim(
    statement="picture-bregman",
    says="The mean divergence of path p = 3 from its own SVM falls from each record to the next: largest change",
    basis=CHOSEN,
    source="stored picture of the published code, p = 3, read off by pixel; that it never rises is our reading",
    scales=FULL_SCALES,
)
def mean_falls(bregman_3: Run) -> Check:
    return check(largest_increase(divergence(bregman_3, 3).mean()), at_most(0))


def _own_is_closer(runs: Runs, exponents: Collection[float]) -> Check:
    """Check that paths with these exponents p end closer to the SVM with q = p than to the SVMs with other q."""
    gaps = {}
    for name, pair in PAIRS.items():
        if pair.p in exponents:
            run = run_of(runs, "bregman", pair.p)
            gap = divergence(run, pair.q) - divergence(run, pair.p)
            gaps[name] = Sample.of(gap.at(run.last_step), "data set")
    return check_cases(gaps, at_least(0))
