"""Claims about our figure on Theorem 3: the law of equation 11, also in training, and the bounds of equation 12.

The theorem is judged along solutions of equation 10 for ten random problems. Each has four classes, one common token,
and three distinct tokens per class. In every problem the dominant token at the start is a distinct token of the first
class.
"""

import numpy as np

from attention_dynamics.claims.claim import CHOSEN, DERIVED, FULL_SCALES, PAPER, claim
from attention_dynamics.claims.expectation import Check, Expectation, at_least, at_most, check
from attention_dynamics.papers.scan_and_snap.rate_pairs import at_rates
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.series.statistics import largest, smallest_increase


@claim(
    says="The law of Theorem 3 needs a decoder much faster than attention: smallest increase of its error in training "
    "from eta_Y / eta_Z = 100 to 10 to 1, after 200, 2000 and 20,000 steps",
    basis=CHOSEN,
    source="Section 8 on Assumption 1 (c), which requires eta_Y 'to be reasonably larger than' eta_Z",
    scales=FULL_SCALES,
)
def needs_fast_decoder(population: Run) -> Check:
    errors = [at_rates(population, "law_error", eta_Y=1, eta_Z=eta_Z) for eta_Z in (0.01, 0.1, 1)]
    return check(np.diff([[error.at(step) for step in (200, 2000, 20000)] for error in errors], axis=0), at_least(0))


@claim(
    statement="theorem-3-equation-11",
    says="Largest relative error of r(t) = r(0) chi(t) over pairs of distinct tokens and times, in ten problems; 1e-9 "
    "is that of the solver",
    basis=DERIVED,
    source="equation 98: dz_l/dt = eta_Z f_l^2 xi, so that d f_l / f_l - d f_l' / f_l' = (f_l^2 - f_l'^2) eta_Z xi dt, "
    "which integrates to equation 11",
)
def law_of_equation(equation: Run) -> Check:
    return check(largest(equation["law_error"]).max(), at_most(1e-9))


@claim(
    statement="theorem-3-bounds",
    says="Smallest ln(chi) / (2 f(0)^2 B) and minus the largest ln(chi) / (2 B), chi of the dominant token, over t > 0 "
    "and the problems in which the common token loses attention",
    basis=PAPER,
    source="equation 12 of Theorem 3; that the common token loses attention is our form of a lost condition",
)
def bounds(equation: Run) -> Check:
    valid = _instances(equation)
    growth, lower, upper = (equation.series[name][1:, valid, 0] for name in ("dominant_logit", "lower", "upper"))
    return check([(growth / lower).min(), -(growth / upper).max()], at_least([1, -1]))._replace(remark=_count(valid))


@claim(
    statement="theorem-3-monotone",
    says="Smallest change of f of the dominant token, and of the logarithm of its growth factor, from one time to the "
    "next, over the problems in which the common token loses attention",
    basis=CHOSEN,
    source="Theorem 3; both symbols and the condition on common tokens are lost, and their forms are ours",
)
def dominant_grows(equation: Run) -> Check:
    valid = _instances(equation)
    increases = [smallest_increase(equation[name])[valid].min() for name in ("dominant_vector", "dominant_logit")]
    return check(increases, Expectation("> 0", np.nextafter(0, 1), np.inf))._replace(remark=_count(valid))


def _instances(equation: Run) -> Array:
    """Return a mask of the problems in which dz/dt of the common token is at most 0 at all times, (problems,)."""
    return np.asarray((equation.series["fastest_common"][..., 0] <= 0).all(0))


def _count(valid: Array) -> str:
    return f"{valid.sum()} problems"


@claim(
    says="In training on the population common tokens lose attention and distinct ones gain it: largest logit of the "
    "former, and smallest of the latter times minus one, after 2000 steps, each for eta_Y / eta_Z = 1, 10 and 100",
    basis=CHOSEN,
    source="Corollary 2 has one query token, these data two",
    scales=FULL_SCALES,
)
def fates(population: Run) -> Check:
    return check([population["largest_common"].at(2000), -population["smallest_distinct"].at(2000)], at_most(0))
