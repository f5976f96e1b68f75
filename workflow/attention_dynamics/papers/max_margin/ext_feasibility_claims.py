"""Claims about Lemma 2: when a prompt exists that selects the optimal tokens."""

import numpy as np

from attention_dynamics.claims.claim import CHOSEN, DERIVED, FULL_SCALES, PAPER, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, equals, near
from attention_dynamics.papers.max_margin.random_problems import rises, shares
from attention_dynamics.run import Run, Runs
from attention_dynamics.series.statistics import share_above

# Numbers of inputs n and of tokens T.
SIZES = ("n2_t3", "n4_t6", "n6_t8")
EQUAL_SIZES = ("n2_t3", "n6_t8")


def _run(runs: Runs, labels: str, size: str) -> Run:
    return runs[f"{labels}_labels_{size}"]


@claim(
    "ext_feasibility",
    says="With equal labels ATT-SVM of the optimal tokens is always feasible: share of feasible problems in d = 2, 5, "
    "10, 20, 50, for (n, T) = (2, 3) and (6, 8)",
    basis=PAPER,
    source="Lemma 2: for equal labels, unique optimal tokens and full-rank W '(ATT-SVM) is feasible for optimal "
    "indices'; the text at hand has lost the formulas of the first two conditions, which the proof of Lemma 11 needs",
)
def equal_labels_are_feasible(runs: Runs) -> Check:
    return check([one for size in EQUAL_SIZES for one in shares(_run(runs, "equal", size), "feasible")], equals(1))


@claim(
    "ext_feasibility",
    says="With equal labels p = W^-T v / gamma_gap, gamma_gap the smallest lead of an optimal token's score, meets the "
    "constraints of ATT-SVM: its smallest margin in any problem, for (n, T) = (2, 3) and (6, 8)",
    basis=DERIVED,
    source="proof of Lemma 11: with keys k = W x the margin p'(k_opt - k_t) = v'(x_opt - x_t) / gamma_gap is the lead "
    "of the optimal token's score in units of the smallest one",
)
def witness_separates(runs: Runs) -> Check:
    margins = [_run(runs, "equal", size)["witness_margin"].at(0).min() for size in EQUAL_SIZES]
    return check(margins, near(1, within=1e-9))


@claim(
    "ext_feasibility",
    says="With random labels ATT-SVM of the optimal tokens is infeasible more often in small dimensions: change of the "
    "feasible share from one of d = 2, 5, 10, 20, 50 to the next, for (n, T) = (2, 3), (4, 6) and (6, 8)",
    basis=CHOSEN,
    source="Appendix E: for small d 'no SVM solution for LMM directions', 'especially due to label randomness'; the "
    "optimal tokens in place of all, and the margin for chance, are ours",
    scales=FULL_SCALES,
)
def rises_with_dimension(runs: Runs) -> Check:
    steps = [rises(shares(_run(runs, "random", size), "feasible")) for size in SIZES]
    return check(np.concatenate(steps), at_least(-0.05))


@claim(
    "ext_feasibility",
    says="With random labels ATT-SVM of the optimal tokens is feasible where d is at least n (T - 1): feasible share "
    "at d = 50, for (n, T) = (2, 3), (4, 6) and (6, 8)",
    basis=DERIVED,
    source="n (T - 1) differences of tokens in general position are linearly independent, and any margins can then be "
    "met",
)
def feasible_in_large_dimensions(runs: Runs) -> Check:
    return check([one for size in SIZES for one in shares(_run(runs, "random", size), "feasible", [50])], equals(1))


@claim(
    "ext_feasibility",
    says="Training saturates only where a locally-optimal direction exists (n = 2, T = 4): share of the saturated "
    "problems without one, over d = 2, 3, 5",
    basis=CHOSEN,
    source="Appendix E: problems that do not saturate have 'no SVM solution for LMM directions'; Theorem 4, by which p "
    "can diverge in LMM directions only; the threshold is ours",
    scales=FULL_SCALES,
)
def saturates_only_with_lmm(enumerated: Run) -> Check:
    exists = enumerated["lmm_exists"].filter(enumerated["saturated"]).at(enumerated.last_step)
    return check(share_above(1 - exists, "trial"), at_most(0.03))


@claim(
    "ext_feasibility",
    says="Problems that do not saturate at d = 2 have no locally-optimal direction (n = 2, T = 4): share of these "
    "problems without one",
    basis=PAPER,
    source="Appendix E: 'For small [d] [...] small degrees of freedom to separate optimal tokens from the rest (i.e. "
    "no SVM solution for LMM directions)'; more than half is our reading",
    scales=FULL_SCALES,
    explanation="In 98 % of these problems a locally-optimal direction exists; gradient descent from p(0) = 0 does not "
    "find it in 1000 steps.",
)
def unsaturated_have_no_lmm(enumerated: Run) -> Check:
    d2 = enumerated.problem.settings["d"] == 2
    last = enumerated.last_step
    unsaturated = d2 & (enumerated["saturated"].at(last) == 0)
    return check(share_above(1 - enumerated["lmm_exists"].at(last)[unsaturated], "trial"), at_least(0.5))
