"""Claims about Theorems 2 and 3 and Lemmas 4 to 7, under gradient descent with a constant step.

The trajectories 0 and 1 of the runs on Fig 1b's data begin in the cone that leads to LMM; 2 begins on the LMM ray, but
nearer to the origin.
"""

from typing import NamedTuple

import numpy as np

from attention_dynamics.claims.claim import CHOSEN, DERIVED, FULL_SCALES, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, near
from attention_dynamics.run import Run, Runs
from attention_dynamics.series.series import Series
from attention_dynamics.series.statistics import largest, slope, smallest, smallest_increase

LAST_STEP = 60_000
LATE_STEP = 3_000


class Case(NamedTuple):
    """A run, its reference and the starts that it is about."""

    run: str
    reference: str
    starts: tuple[int, ...]

    def series(self, runs: Runs, name: str) -> Series:
        """Return a series of the starts."""
        return runs[self.run][name].starts(*self.starts)


# Figs 1a, 1b and 1c.
GLOBAL = Case("constant_1a", "gmm", (0, 1, 2, 3, 4, 5))
LOCAL = Case("constant_1b", "lmm", (0, 1))
SEVERAL = Case("constant_1c", "gmm", (0, 1, 2, 3, 4, 5))


@claim(
    "ext_constant_step",
    says="With a constant step the norm of p grows as |p_mm| ln t (Fig 1a's data, and Fig 1b's, LMM): slope of |p| "
    "against ln t from step 3000 to 60000, over |p_mm|",
    basis=DERIVED,
    source="once the direction has settled the gradient has the size C exp(-|p| / |p_mm|), so that |p| = |p_mm| ln t + "
    "constant; Theorems 2 and 3 say that the norm diverges; the tolerance is ours",
    scales=FULL_SCALES,
)
def norm_is_a_line(runs: Runs) -> Check:
    slopes = [
        slope(case.series(runs, "norm_p").during(LATE_STEP, LAST_STEP), time="log")
        / runs[case.run].reference(case.reference, "norm")
        for case in (GLOBAL, LOCAL)
    ]
    return check(np.concatenate(slopes), near(1, within=0.05))


@claim(
    "ext_constant_step",
    says="With a constant step p keeps turning to GMM from all six starts of Fig 1a: smallest change of its cosine "
    "from one recorded step to the next, from step 3000 on",
    basis=CHOSEN,
    source="Theorem 2: for one input 'the normalized predictor converges towards [p_mm]'; the step is ours, chosen "
    "after seeing",
    scales=FULL_SCALES,
)
def keeps_turning(constant_1a: Run) -> Check:
    return check(smallest_increase(constant_1a["correlation_gmm"].during(LATE_STEP, LAST_STEP)), at_least(0))


@claim(
    "ext_constant_step",
    says="With a constant step p converges to LMM from the starts of Fig 1b that do so with normalized steps: cosine "
    "after 60000 steps",
    basis=CHOSEN,
    source="Theorem 3: gradient descent 'initialized within [the cone] converges in direction'; the threshold is ours, "
    "chosen after seeing",
    scales=FULL_SCALES,
)
def reaches_lmm(constant_1b: Run) -> Check:
    return check(constant_1b["correlation_lmm"].starts(0, 1).at(LAST_STEP), at_least(0.99))


@claim(
    "ext_constant_step",
    says="Theorem 3 needs the start to be far out: from (1, 0), which lies on the LMM ray of Fig 1b, gradient descent "
    "leaves LMM: cosine with LMM after 60000 steps",
    basis=CHOSEN,
    source="Section 2.2: 'initialized above a threshold ([R]) in an LMM direction'; start and threshold are ours, "
    "chosen after seeing",
    scales=FULL_SCALES,
)
def near_start_leaves(constant_1b: Run) -> Check:
    return check(constant_1b["correlation_lmm"].starts(2).at(LAST_STEP), at_most(0.5))


# The lemmas that the proofs are made of.


@claim(
    "ext_constant_step",
    says="Under Assumption B p_mm is a direction of descent wherever p goes (data of Figs 1a and 1c): smallest cosine "
    "of -grad L with GMM, over all recorded steps",
    basis=DERIVED,
    source="Lemma 4: it 'identifies conditions under which [p_mm] is a global descent direction'; every token "
    "contributes s_1 s_t (gamma_1 - gamma_t) times a margin of at least 1",
)
def descent_direction(runs: Runs) -> Check:
    return check([smallest(case.series(runs, "alignment")) for case in (GLOBAL, SEVERAL)], at_least(0.01))


@claim(
    "ext_constant_step",
    says="On Fig 1b's data no stationary point is on the way to LMM: smallest cosine of -grad L with LMM, over all "
    "recorded steps",
    basis=CHOSEN,
    source="Lemma 7: 'no stationary point exists within [the cone]'; the threshold is ours",
)
def no_stationary_point(runs: Runs) -> Check:
    return check(smallest(LOCAL.series(runs, "alignment")), at_least(0.01))


@claim(
    "ext_constant_step",
    says="Far out no direction descends much faster than p_mm (Fig 1a's data, and Fig 1b's, LMM): largest ratio of "
    "<grad L, p / |p|> to <grad L, p_mm / |p_mm|> in the second half of the run",
    basis=CHOSEN,
    source="Lemmas 5 and 7 (L3): the ratio is at most 1 + pi once |p| is large enough; pi = 0.01 is ours",
    scales=FULL_SCALES,
)
def near_optimal_descent(runs: Runs) -> Check:
    ratios = [case.series(runs, "gradient_ratio").during(LAST_STEP // 2, LAST_STEP) for case in (GLOBAL, LOCAL)]
    return check([largest(one) for one in ratios], at_most(1.01))


@claim(
    "ext_constant_step",
    says="The gradient vanishes as 1 / t (Fig 1a's data, and Fig 1b's, LMM): eta t |grad L| / |p_mm| after 60000 steps",
    basis=DERIVED,
    source="Lemma 6, eq. 26, says that it vanishes; the norm |p_mm| ln t grows by |p_mm| / t in a step",
    scales=FULL_SCALES,
)
def gradient_vanishes(runs: Runs) -> Check:
    ratios = []
    for case in (GLOBAL, LOCAL):
        size, step_size = (
            case.series(runs, "gradient_norm").at(LAST_STEP),
            runs[case.run].training.optimizer.step_size,
        )
        ratios.append(np.ravel(step_size * LAST_STEP * size / runs[case.run].reference(case.reference, "norm")))
    return check(np.concatenate(ratios), near(1, within=0.05))
