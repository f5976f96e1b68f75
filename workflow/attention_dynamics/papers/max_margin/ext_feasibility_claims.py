"""Claims about Lemma 2: when a prompt exists that selects the optimal tokens."""

from typing import NamedTuple

from attention_dynamics.claims.claim import CHOSEN, DERIVED, FULL_SCALES, PAPER, RECOMPUTED, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, equals, like, near
from attention_dynamics.claims.results import Results, Runs
from attention_dynamics.claims.statistics import share_above
from attention_dynamics.papers.max_margin.random_problems import SIGNIFICANCE, rises, shares


class Size(NamedTuple):
    """A number of inputs and of tokens."""

    n: int
    T: int


EQUAL_SIZES = {"n2_t3": Size(2, 3), "n6_t8": Size(6, 8)}
SIZES = {"n2_t3": Size(2, 3), "n4_t6": Size(4, 6), "n6_t8": Size(6, 8)}


def _run(runs: Runs, labels: str, size: Size) -> Results:
    return runs[f"{labels}_labels_n{size.n}_t{size.T}"]


@claim(
    "ext_feasibility",
    cases=EQUAL_SIZES,
    says="With equal labels ATT-SVM of the optimal tokens is always feasible (n = {case.n}, T = {case.T}): share of "
    "feasible problems in d = 2, 5, 10, 20, 50",
    basis=PAPER,
    source="Lemma 2: for equal labels, unique optimal tokens and full-rank W '(ATT-SVM) is feasible for optimal "
    "indices'; the text at hand has lost the formulas of the first two conditions, which the proof of Lemma 11 needs",
)
def equal_labels_are_feasible(runs: Runs, case: Size) -> Check:
    return check(shares(_run(runs, "equal", case), "feasible"), equals(1))


@claim(
    "ext_feasibility",
    cases=EQUAL_SIZES,
    says="With equal labels p = W^-T v / gamma_gap, gamma_gap the smallest lead of an optimal token's score, meets the "
    "constraints of ATT-SVM (n = {case.n}, T = {case.T}): its smallest margin in any problem",
    basis=DERIVED,
    source="proof of Lemma 11: with keys k = W x the margin p'(k_opt - k_t) = v'(x_opt - x_t) / gamma_gap is the lead "
    "of the optimal token's score in units of the smallest one",
)
def witness_separates(runs: Runs, case: Size) -> Check:
    return check(_run(runs, "equal", case)["witness_margin"].at(0).min(), near(1, within=1e-9))


@claim(
    "ext_feasibility",
    says="With random labels feasibility is as frequent as in an independent sample (n = 6, T = 8): share of feasible "
    "problems in d = 2, 5, 10, 20, 50",
    basis=RECOMPUTED,
    source="independent implementation, 100 problems of each dimension",
    scales=FULL_SCALES,
)
def random_labels_like_sample(runs: Runs) -> Check:
    feasible = shares(_run(runs, "random", SIZES["n6_t8"]), "feasible")
    return check(feasible, like([0.03, 0.04, 0.41, 1, 1], of=100, significance=SIGNIFICANCE))


@claim(
    "ext_feasibility",
    cases=SIZES,
    says="With random labels ATT-SVM of the optimal tokens is infeasible more often in small dimensions (n = {case.n}, "
    "T = {case.T}): change of the feasible share from one dimension to the next",
    basis=CHOSEN,
    source="Appendix E: for small d 'no SVM solution for LMM directions', 'especially due to label randomness'; the "
    "optimal tokens in place of all, and the margin for chance, are ours",
    scales=FULL_SCALES,
)
def rises_with_dimension(runs: Runs, case: Size) -> Check:
    return check(rises(shares(_run(runs, "random", case), "feasible")), at_least(-0.05))


@claim(
    "ext_feasibility",
    cases=SIZES,
    says="With random labels ATT-SVM of the optimal tokens is feasible where d is at least n (T - 1) (n = {case.n}, T "
    "= {case.T}): feasible share at d = 50",
    basis=DERIVED,
    source="n (T - 1) differences of tokens in general position are linearly independent, and any margins can then be "
    "met",
)
def feasible_in_large_dimensions(runs: Runs, case: Size) -> Check:
    return check(shares(_run(runs, "random", case), "feasible", [50]), equals(1))


@claim(
    "ext_feasibility",
    says="Training saturates only where a locally-optimal direction exists (n = 2, T = 4): share of the saturated "
    "problems without one, over d = 2, 3, 5",
    basis=CHOSEN,
    source="Appendix E: problems that do not saturate have 'no SVM solution for LMM directions'; Theorem 4, by which p "
    "can diverge in LMM directions only; the threshold is ours",
    scales=FULL_SCALES,
)
def saturates_only_with_lmm(enumerated: Results) -> Check:
    exists = enumerated["lmm_exists"].filter(enumerated["saturated"]).at(enumerated.last_step)
    return check(share_above(1 - exists), at_most(0.03))


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
def unsaturated_have_no_lmm(enumerated: Results) -> Check:
    d2 = enumerated.run.problem.settings["d"] == 2
    last = enumerated.last_step
    unsaturated = d2 & (enumerated["saturated"].at(last) == 0)
    return check(share_above(1 - enumerated["lmm_exists"].at(last)[unsaturated]), at_least(0.5))
