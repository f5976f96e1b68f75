"""Claims about the extensions of Fig 2 to random initialization of three sizes, and to the loss in every iteration."""

from typing import NamedTuple

import numpy as np

from attention_dynamics.claims.claim import CHOSEN, DERIVED, FULL_SCALES, RECOMPUTED, claim
from attention_dynamics.claims.expectation import Check, Expectation, at_least, at_most, check, equals, near
from attention_dynamics.claims.results import Results
from attention_dynamics.claims.statistics import first_step_staying_above, slope, smallest
from attention_dynamics.papers.fast_rates.derivations import ALIGNED, INDEPENDENT, NORM_BELOW, POLYAK_GAP
from attention_dynamics.papers.fast_rates.ext_init_iterations import steps_to_forget
from attention_dynamics.papers.fast_rates.ext_monotone_loss import falls, late_falls
from attention_dynamics.papers.fast_rates.iterations import LEVEL
from attention_dynamics.problems.problem import Array

# Norm of W(0) of each start, as ``start_norms`` of the problem.
NORMS = [0, 1, 10]


@claim(
    "ext_init_scale",
    says="NGD turns W to W_mm from random W(0) of norm {case}: cosine after 1000 iterations",
    cases=[1, 10],
    basis=CHOSEN,
    source="abstract: 'we first establish scenarios for which convergence is provably global'; Theorem 1 itself "
    "assumes a small initialization; the threshold is ours",
    scales=FULL_SCALES,
)
def global_norm(ngd: Results, case: int) -> Check:
    return check(ngd["correlation_w_mm"].starts(NORMS.index(case)).at(1000), at_least(0.999))


@claim(
    "ext_init_scale",
    says="The NGD direction always has an inner product of at least 1 / (2 B^2) with W_mm, B being the largest norm of "
    "a token, from every start: smallest ratio to that bound over all iterations",
    basis=DERIVED,
    source=ALIGNED,
)
def always_aligned(ngd: Results) -> Check:
    return check(smallest(ngd["alignment_over_bound"].during(0, 999)), at_least(1))


@claim(
    "ext_init_scale",
    says="The norm of W grows at least linearly under NGD, from every start: |W(t)| minus eta t / (2 B^2 |W_mm|) - "
    "|W(0)|, with B the largest norm of a token, smallest over all iterations",
    basis=DERIVED,
    source=f"eq. w-norm-org by its name, with a constant derived here: {NORM_BELOW}",
)
def norm_lower_bound(ngd: Results) -> Check:
    return check(smallest(ngd["norm_above_lower"].during(1, 1000)), at_least(0))


@claim(
    "ext_init_scale",
    says="GD does not forget a random W(0) of norm 10, since |W| has grown by a logarithm only: cosine of W and W_mm "
    "after 10000 iterations",
    basis=CHOSEN,
    source="GD, as a contrast to Theorem 1; the threshold is ours",
    scales=FULL_SCALES,
)
def gd_does_not_forget(gd: Results) -> Check:
    return check(gd["correlation_w_mm"].starts(NORMS.index(10)).at(10000), at_most(0.99))


@claim(
    "ext_init_scale",
    says="The logarithm of the loss gap L - inf L falls by 1 / c = 0.5 in every Polyak step, from every start: its "
    "slope against t from iteration 100 to 500",
    basis=DERIVED,
    source=POLYAK_GAP,
    scales=FULL_SCALES,
)
def polyak_linear_rate(polyak: Results) -> Check:
    return check(slope(polyak["log_gap"].during(100, 500)), near(-0.5, within_percent=1))


# The iterations that it takes to forget W(0), that is until the cosine of W and W_mm stays above LEVEL.


def _iterations(run: Results, start_norm: int) -> Array:
    """Return the iterations from the starts of a norm, (problems,)."""
    return first_step_staying_above(run["correlation_w_mm"].starts(NORMS.index(start_norm)), LEVEL)


class Count(NamedTuple):
    """Range of the iterations of an independent computation from a start, and the margin around it."""

    start_norm: int
    smallest: int
    largest: int
    margin: int

    def expected(self) -> Expectation:
        """Return the range with its margin."""
        half = (self.largest - self.smallest) / 2 + self.margin
        return near((self.largest + self.smallest) / 2, within=half)


NGD_COUNTS = {"0": Count(0, 25, 33, 4), "1": Count(1, 28, 35, 4), "10": Count(10, 143, 147, 4)}
POLYAK_COUNTS = {"0": Count(0, 3, 6, 2), "1": Count(1, 4, 6, 2), "10": Count(10, 32, 36, 2)}


@claim(
    "ext_init_iterations",
    says="NGD needs as many iterations as in an independent computation from random W(0) of norm {case.start_norm}: "
    "iterations until the cosine of W and W_mm stays above 0.99",
    cases=NGD_COUNTS,
    basis=RECOMPUTED,
    source=f"{{case.smallest}} to {{case.largest}} {INDEPENDENT}; the margin of {{case.margin}} is ours, chosen after "
    "seeing",
    scales=FULL_SCALES,
)
def ngd_iterations(ngd: Results, case: Count) -> Check:
    return check(_iterations(ngd, case.start_norm), case.expected())


@claim(
    "ext_init_iterations",
    says="The Polyak step needs as many iterations as in an independent computation from random W(0) of norm "
    "{case.start_norm}: iterations until the cosine of W and W_mm stays above 0.99",
    cases=POLYAK_COUNTS,
    basis=RECOMPUTED,
    source=f"{{case.smallest}} to {{case.largest}} {INDEPENDENT}; the margin of {{case.margin}} is ours, chosen after "
    "seeing",
    scales=FULL_SCALES,
)
def polyak_iterations(polyak: Results, case: Count) -> Check:
    return check(_iterations(polyak, case.start_norm), case.expected())


@claim(
    "ext_init_iterations",
    says="GD does not forget a random W(0) of norm 10 within 10000 iterations: iterations until the cosine of W and "
    "W_mm stays above 0.99, infinite where it does not",
    basis=RECOMPUTED,
    source=f"not reached {INDEPENDENT}, with cosines of 0.957 to 0.963 at the end",
    scales=FULL_SCALES,
)
def gd_iterations(gd: Results) -> Check:
    return check(_iterations(gd, 10), equals(np.inf))


@claim(
    "ext_init_iterations",
    says="{case} forgets a large W(0) once its share in W is small: iterations until the cosine of W and W_mm stays "
    "above 0.99 from W(0) of norm 10, over those after which W(0) plus steps along W_mm has this cosine",
    cases={"ngd": "NGD", "polyak": "The Polyak step"},
    basis=DERIVED,
    source="a random W(0) is nearly orthogonal to W_mm, so that the steps have to be 0.99 / sqrt(1 - 0.99^2) = 7.02 "
    "times as long as W(0); steps of NGD have the length eta, Polyak's |W_mm| / c; the tolerance is ours, chosen after "
    "seeing",
    scales=FULL_SCALES,
)
def forgets(ngd: Results, polyak: Results, case: str) -> Check:
    run = ngd if case == "NGD" else polyak
    expected = steps_to_forget(run.run, "w_mm", LEVEL)[:, NORMS.index(10)]
    return check(_iterations(run, 10) / expected, near(1, within=0.1))


# The loss in every iteration.


@claim(
    "ext_monotone_loss",
    says="The loss falls in every iteration of {case}, from every start that is trained: smallest fall of ln(L - inf "
    "L) in an iteration",
    cases={"gd_steps": "GD", "ngd": "NGD", "polyak": "the Polyak step"},
    basis=CHOSEN,
    source=f"seen with our step sizes {INDEPENDENT}",
)
def loss_falls(gd_steps: Results, ngd: Results, polyak: Results, case: str) -> Check:
    run = {"GD": gd_steps, "NGD": ngd, "the Polyak step": polyak}[case]
    return check(falls(run.run).min(), at_least(0))


@claim(
    "ext_monotone_loss",
    says="Late in training the logarithm of the loss gap falls by 1 / t in an iteration of GD: t times its fall in the "
    "last iteration, t = 2000",
    basis=DERIVED,
    source="the gap is then C exp(-|W| / |W_mm|), and an iteration adds eta gap / |W_mm| to |W|; the tolerance is ours",
    scales=FULL_SCALES,
)
def gd_late(gd_steps: Results) -> Check:
    return check(falls(gd_steps.run)[-1, :, 0] / late_falls(gd_steps.run, "w_mm")[-1], near(1, within=0.05))
