"""Claims about Theorems 2 and 3 and Lemmas 3 to 7, under gradient descent with a constant step.

The trajectories 0 and 1 of the runs on Fig 1b's data begin in the cone that leads to LMM; 2 begins on the LMM ray, but
nearer to the origin.
"""

from typing import NamedTuple

import numpy as np

from attention_dynamics.claims.claim import CHOSEN, DERIVED, FULL_SCALES, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, near
from attention_dynamics.claims.results import Results, Runs
from attention_dynamics.claims.series import Series
from attention_dynamics.claims.statistics import largest, slope, smallest, smallest_increase

LAST_STEP = 60_000
LATE_STEP = 3_000


class Case(NamedTuple):
    """Data, with its run, its reference and the starts that it is about."""

    data: str
    run: str
    reference: str
    starts: tuple[int, ...]

    def series(self, runs: Runs, name: str) -> Series:
        """Return a series of the starts."""
        return runs[self.run][name].starts(*self.starts)

    @property
    def steps(self) -> str:
        """The constant step, relative to the bound of Lemma 6, in words."""
        return "below 1 / L_p" if self.run.startswith("below_bound") else "above 1 / L_p"


GLOBAL = Case("Fig 1a's data", "constant_1a", "gmm", (0, 1, 2, 3, 4, 5))
LOCAL = Case("Fig 1b's data, LMM", "constant_1b", "lmm", (0, 1))
SEVERAL = Case("Fig 1c's data", "constant_1c", "gmm", (0, 1, 2, 3, 4, 5))
SMALL_GLOBAL = Case("Fig 1a's data", "below_bound_1a", "gmm", (0, 1, 2, 3, 4, 5))
SMALL_LOCAL = Case("Fig 1b's data, LMM", "below_bound_1b", "lmm", (0, 1))


@claim(
    "ext_constant_step",
    cases={"1a": GLOBAL, "1b": LOCAL},
    says="With a constant step the norm of p grows as |p_mm| ln t ({case.data}): slope of |p| against ln t from step "
    "3000 to 60000, over |p_mm|",
    basis=DERIVED,
    source="once the direction has settled the gradient has the size C exp(-|p| / |p_mm|), so that |p| = |p_mm| ln t + "
    "constant; Theorems 2 and 3 say that the norm diverges; the tolerance is ours",
    scales=FULL_SCALES,
)
def norm_is_a_line(runs: Runs, case: Case) -> Check:
    norm = case.series(runs, "norm_p").during(LATE_STEP, LAST_STEP)
    length = runs[case.run].reference(case.reference, "norm")
    return check(slope(norm, time="log") / length, near(1, within=0.05))


@claim(
    "ext_constant_step",
    says="With a constant step p keeps turning to GMM from all six starts of Fig 1a: smallest change of its cosine "
    "from one recorded step to the next, from step 3000 on",
    basis=CHOSEN,
    source="Theorem 2: for one input 'the normalized predictor converges towards [p_mm]'; the step is ours, chosen "
    "after seeing",
    scales=FULL_SCALES,
)
def keeps_turning(constant_1a: Results) -> Check:
    return check(smallest_increase(constant_1a["correlation_gmm"].during(LATE_STEP, LAST_STEP)), at_least(0))


@claim(
    "ext_constant_step",
    says="With a constant step every further step turns p of Fig 1a towards GMM: smallest excess of the cosine of "
    "-grad L over that of p, from step 3000 on",
    basis=CHOSEN,
    source="Lemma 5 bounds how much steeper the risk is along p than along p_mm, from which the proof of Theorem 2 "
    "concludes that p turns to p_mm; that -grad L is ahead of p, the step and the threshold are ours, chosen after "
    "seeing",
    scales=FULL_SCALES,
)
def gradient_leads(constant_1a: Results) -> Check:
    lead = (constant_1a["alignment"] - constant_1a["correlation_gmm"]).during(LATE_STEP, LAST_STEP)
    return check(smallest(lead), at_least(0.001))


@claim(
    "ext_constant_step",
    says="With a constant step p converges to LMM from the starts of Fig 1b that do so with normalized steps: cosine "
    "after 60000 steps",
    basis=CHOSEN,
    source="Theorem 3: gradient descent 'initialized within [the cone] converges in direction'; the threshold is ours, "
    "chosen after seeing",
    scales=FULL_SCALES,
)
def reaches_lmm(constant_1b: Results) -> Check:
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
def near_start_leaves(constant_1b: Results) -> Check:
    return check(constant_1b["correlation_lmm"].starts(2).at(LAST_STEP), at_most(0.5))


# The lemmas that the proofs are made of.


@claim(
    "ext_descent",
    cases={"1a": GLOBAL, "1b": LOCAL, "1c": SEVERAL},
    says="The error of the key lemma is at most A Gamma (1 - s_1)^2 ({case.data}): largest ratio to that bound, over "
    "all recorded steps",
    basis=DERIVED,
    source="Lemma 3, of which the text at hand has lost the constant: measured from token 1 the error is the product "
    "of sum_t s_t (a_1 - a_t) and sum_t s_t (gamma_1 - gamma_t)",
)
def key_lemma(runs: Runs, case: Case) -> Check:
    return check(largest(case.series(runs, "key_lemma_ratio")), at_most(1))


@claim(
    "ext_descent",
    cases={"1a": GLOBAL, "1c": SEVERAL},
    says="Under Assumption B p_mm is a direction of descent wherever p goes ({case.data}): smallest cosine of -grad L "
    "with GMM, over all recorded steps",
    basis=DERIVED,
    source="Lemma 4: it 'identifies conditions under which [p_mm] is a global descent direction'; every token "
    "contributes s_1 s_t (gamma_1 - gamma_t) times a margin of at least 1",
)
def descent_direction(runs: Runs, case: Case) -> Check:
    return check(smallest(case.series(runs, "alignment")), at_least(0.01))


@claim(
    "ext_descent",
    cases={"large": LOCAL, "small": SMALL_LOCAL},
    says="On Fig 1b's data no stationary point is on the way to LMM, with steps {case.steps}: smallest cosine of "
    "-grad L with LMM, over all recorded steps",
    basis=CHOSEN,
    source="Lemma 7: 'no stationary point exists within [the cone]'; the threshold is ours",
)
def no_stationary_point(runs: Runs, case: Case) -> Check:
    return check(smallest(case.series(runs, "alignment")), at_least(0.01))


@claim(
    "ext_descent",
    cases={"1a": GLOBAL, "1b": LOCAL},
    says="Far out no direction descends much faster than p_mm ({case.data}): largest ratio of <grad L, p / |p|> to "
    "<grad L, p_mm / |p_mm|> in the second half of the run",
    basis=CHOSEN,
    source="Lemmas 5 and 7 (L3): the ratio is at most 1 + pi once |p| is large enough; pi = 0.01 is ours",
    scales=FULL_SCALES,
)
def near_optimal_descent(runs: Runs, case: Case) -> Check:
    return check(largest(case.series(runs, "gradient_ratio").during(LAST_STEP // 2, LAST_STEP)), at_most(1.01))


@claim(
    "ext_descent",
    cases={"1a": SMALL_GLOBAL, "1b": SMALL_LOCAL},
    says="With a step below 1 / L_p every step decreases the risk by at least eta |grad L|^2 / 2 ({case.data}): "
    "smallest ratio to that bound, over all recorded steps",
    basis=DERIVED,
    source="Lemma 6, eq. 25: the risk is L_p-smooth",
)
def descent_lemma(runs: Runs, case: Case) -> Check:
    return check(smallest(case.series(runs, "descent_ratio")), at_least(1))


@claim(
    "ext_descent",
    cases={"1a": GLOBAL, "1b": LOCAL},
    says="The gradient vanishes as 1 / t ({case.data}): eta t |grad L| / |p_mm| after 60000 steps",
    basis=DERIVED,
    source="Lemma 6, eq. 26, says that it vanishes; the norm |p_mm| ln t grows by |p_mm| / t in a step",
    scales=FULL_SCALES,
)
def gradient_vanishes(runs: Runs, case: Case) -> Check:
    length = runs[case.run].reference(case.reference, "norm")
    size = case.series(runs, "gradient_norm").at(LAST_STEP)
    step_size = runs[case.run].run.training.optimizer.step_size
    return check(np.ravel(step_size * LAST_STEP * size / length), near(1, within=0.05))
