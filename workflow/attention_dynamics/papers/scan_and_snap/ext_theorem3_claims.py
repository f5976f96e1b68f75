"""Claims about our figure on Theorem 3: the law of equation 11 in training, and its bounds, equation 12."""

import numpy as np

from attention_dynamics.claims.claim import CHOSEN, DERIVED, FULL_SCALES, PAPER, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check
from attention_dynamics.papers.scan_and_snap.rate_pairs import at_rates
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.series.statistics import largest, smallest_increase


@claim(
    "ext_theorem3",
    says="The law of Theorem 3 needs a decoder much faster than attention: smallest increase of its error in training "
    "from eta_Y / eta_Z = 100 to 10 to 1, after 200, 2000 and 20,000 steps",
    basis=PAPER,
    source="Section 8: the 'theory is built on Assumption 1(c), which requires' eta_Y 'to be reasonably larger than' "
    "eta_Z",
    scales=FULL_SCALES,
)
def needs_fast_decoder(population: Run) -> Check:
    errors = [at_rates(population, "law_error", eta_Y=1, eta_Z=eta_Z) for eta_Z in (0.01, 0.1, 1)]
    return check(np.diff([[error.at(step) for step in (200, 2000, 20000)] for error in errors], axis=0), at_least(0))


@claim(
    "ext_theorem3",
    says="The law of Theorem 3 holds along the differential equation, equation 10: largest relative error of r(t) = "
    "r(0) chi(t) over pairs of distinct tokens and times, in ten random problems",
    basis=DERIVED,
    source="equation 98: dz_l/dt = eta_Z f_l^2 xi, so that d f_l / f_l - d f_l' / f_l' = (f_l^2 - f_l'^2) eta_Z xi dt, "
    "which integrates to equation 11",
)
def law_of_equation(equation: Run) -> Check:
    return check(largest(equation["law_error"]).max(), at_most(1e-9))


@claim(
    "ext_theorem3",
    says="Growth of the dominant token is at least its lower bound: smallest ln(chi) / (2 f(0)^2 B) over t > 0, in ten "
    "random problems",
    basis=PAPER,
    source="equation 12 of Theorem 3; its proof: the attention of the dominant token 'is monotonously increasing', so "
    "that f^2 is at least f(0)^2 in dz/dt = eta_Z f^2 xi",
)
def lower_bound(equation: Run) -> Check:
    return check(_ratio(equation, "lower").min(0), at_least(1))


@claim(
    "ext_theorem3",
    says="Growth of the dominant token is at most its upper bound: largest ln(chi) / (2 B) over t > 0, in ten random "
    "problems",
    basis=PAPER,
    source="equation 12 of Theorem 3; its proof: f <= 1 'due to normalization condition'",
)
def upper_bound(equation: Run) -> Check:
    return check(_ratio(equation, "upper").max(0), at_most(1))


def _ratio(run: Run, bound: str) -> Array:
    """Return the logarithm of the growth factor over that of a bound, at all records but the first."""
    return run["dominant_logit"].values[1:] / run[bound].values[1:]


@claim(
    "ext_theorem3",
    says="Attention on the dominant token grows all the time: smallest change of f from one time to the next, in ten "
    "random problems",
    basis=PAPER,
    source="Theorem 3 on chi and on the attention of the dominant token: 'are monotonously increasing'",
)
def dominant_grows(equation: Run) -> Check:
    return check(smallest_increase(equation["dominant_vector"]), at_least(0))


@claim(
    "ext_theorem3",
    says="In training on the population common tokens lose attention and distinct ones gain it: largest logit of the "
    "former, and smallest of the latter times minus one, after 2000 steps, each for eta_Y / eta_Z = 1, 10 and 100",
    basis=CHOSEN,
    source="Corollary 2 has one query token, these data two",
)
def fates(population: Run) -> Check:
    return check([population["largest_common"].at(2000), -population["smallest_distinct"].at(2000)], at_most(0))
