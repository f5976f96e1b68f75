"""Claims about Theorem 8, Assumption D and Lemma 14: nonlinear heads, and the risk of mixing tokens.

The steps of the runs are radii R: the bound on |p| in a regularization path, and |p| itself on a ray.
"""

import numpy as np

from attention_dynamics.claims.claim import CHOSEN, DERIVED, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, equals
from attention_dynamics.papers.max_margin.convergence import late_over_early
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.series.statistics import table
from attention_dynamics.theory.linear_mixing import risk_bounds

RADII = [1, 2, 3, 5, 7, 10, 14, 20]


@claim(
    statement="theorem-8",
    says="With a nonlinear head, for which Assumption D is checked on rays (less_mixing_is_better): distance of p(R) "
    "|p_mm| / R from the solution set at R = 100 over that at R = 10; 0 where both are rounding",
    basis=CHOSEN,
    source="Theorem 8; head, tokens and radii are ours",
)
def reaches_solution_set(nonlinear: Run) -> Check:
    return check(late_over_early(nonlinear["solution_distance"], (10, 10), (100, 100)), at_most(1))


@claim(
    says="Where mixing tokens pays, Assumption D fails and the regularization path stays away from the solution set of "
    "ATT-SVM': distance of p(R) |p_mm| / |p(R)| from it at R = 100",
    basis=CHOSEN,
    source="psi is larger at a mixture of two tokens of the second input than at either, so that no saturated softmax "
    "is optimal; the threshold is ours",
)
def stays_away_where_mixing_pays(mixing_pays: Run) -> Check:
    return check(mixing_pays["solution_distance"].at(100), at_least(0.1))


@claim(
    statement="lemma-14",
    says="With a linear head the risk above that of the optimal tokens is q_max, the probability of non-optimal "
    "tokens, up to a factor: smallest excess over the lower bound, and below the upper bound, in natural logarithms",
    basis=DERIVED,
    source="Lemma 14: margins fall short by sum_t s_t gap_t, between gap_min q and gap_max q, and the loss has slopes "
    "between those at the largest and the smallest score; two factors apart, risks are in the order of q_max once it "
    "differs by a power 1 + Delta, which is Assumption D",
)
def linear_head_is_bounded(rays_linear: Run) -> Check:
    # The run has a single problem.
    lower, upper = np.log(risk_bounds(rays_linear.problem.scores()[0]))
    ratio = _log_ratios(rays_linear)
    return check([(ratio - lower).min(), (upper - ratio).min()], at_least(0))


@claim(
    says="With a linear and with a nonlinear head, prompts with exponentially less non-optimality have the smaller "
    "risk: number of pairs p, p' with log q_max(p) <= 1.5 log q_max(p'), q_max(p') <= 1e-5 and L(p) >= L(p')",
    basis=CHOSEN,
    source="Assumption D: 'a model that contains exponentially less non-optimality (quantified via log([q_max])) [...] "
    "is strictly preferable'; Delta = 0.5 and the bound on q_max, set before the number was seen, are ours",
)
def less_mixing_is_better(rays_linear: Run, rays_nonlinear: Run) -> Check:
    return check([_pairs_in_wrong_order(run) for run in (rays_linear, rays_nonlinear)], equals(0))


@claim(
    says="Where mixing tokens pays Assumption D fails: number of pairs p, p' with log q_max(p) <= 1.5 log q_max(p'), "
    "q_max(p') <= 1e-5 and L(p) >= L(p')",
    basis=CHOSEN,
    source="the control for less_mixing_is_better",
)
def less_mixing_is_not_better(rays_mixing_pays: Run) -> Check:
    return check(_pairs_in_wrong_order(rays_mixing_pays), at_least(1))


@claim(
    says="With either head the risk is above that of the optimal tokens wherever p goes: smallest sign of the "
    "difference",
    basis=DERIVED,
    source="scores, and psi along mixtures of the tokens, are largest at the optimal tokens",
)
def mixing_hurts(rays_linear: Run, rays_nonlinear: Run) -> Check:
    return check([table(run["excess_sign"], RADII).min() for run in (rays_linear, rays_nonlinear)], equals(1))


@claim(
    says="Where mixing tokens pays the risk falls below that of the optimal tokens: smallest sign of the difference",
    basis=DERIVED,
    source="psi is larger at a mixture of the second input's first and third token than at either: tanh(3.45 s) - "
    "tanh(1.95 s) / 2 has its maximum inside (0, 1)",
)
def mixing_pays(rays_mixing_pays: Run) -> Check:
    return check(table(rays_mixing_pays["excess_sign"], RADII).min(), equals(-1))


def _pairs_in_wrong_order(run: Run) -> int:
    """Return the number of pairs p, p' with q_max(p) <= q_max(p')^1.5, q_max(p') <= 1e-5 and L(p) >= L(p')."""
    q, log_excess, sign = (table(run[name], RADII) for name in ("log_nonoptimal", "log_excess", "excess_sign"))
    less = (q[:, None] <= 1.5 * q) & (q <= np.log(1e-5))
    # The excesses sign * exp(log_excess) are compared without exp, because they may underflow.
    above = np.where(sign[:, None] != sign, sign[:, None] > sign, sign * (log_excess[:, None] - log_excess) >= 0)
    return int((less & above).sum())


def _log_ratios(run: Run) -> Array:
    """Return log |L(p) - L*| - log q_max at the radii RADII of k rays, (radii * k,), one radius after the other."""
    return table(run["log_excess"] - run["log_nonoptimal"], RADII)
