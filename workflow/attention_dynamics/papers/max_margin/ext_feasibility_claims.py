"""Claims about Lemma 2: when a prompt exists that selects the optimal tokens."""

from attention_dynamics.claims.claim import CHOSEN, DERIVED, FULL_SCALES, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, equals, near
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run, Runs
from attention_dynamics.series.statistics import share_above

# Last part of the names of runs, with the numbers of inputs n and tokens T: of the runs with random labels, and of
# those with equal labels.
SIZES = ("n2_t3", "n4_t6", "n6_t8")
EQUAL_SIZES = ("n2_t3", "n6_t8")


def _infeasible(run: Run) -> Array:
    """Return an array (problems,): 1 where ATT-SVM of the optimal tokens has no solution, 0 elsewhere."""
    return 1 - run.reference("gmm", "feasible")


@claim(
    statement="lemma-2",
    says="Number of problems of 500 in d = 2, 5, 10, 20, 50 without a solution, for (n, T) = (2, 3) and (6, 8); labels "
    "equal by construction, unique optimal tokens with probability one, W = identity",
    basis=DERIVED,
    source="Lemma 2; the formulas of its first two conditions are lost in the text, these are what the proof of Lemma "
    "11 needs",
)
def equal_labels_are_feasible(runs: Runs) -> Check:
    return check([_infeasible(runs[f"equal_labels_{size}"]).sum() for size in EQUAL_SIZES], equals(0))


@claim(
    statement="lemma-11",
    says="Smallest margin of p = W^-T v / gamma_gap, gamma_gap the smallest lead of an optimal token's score, in any "
    "of 500 problems with equal labels, for (n, T) = (2, 3) and (6, 8)",
    basis=DERIVED,
    source="proof of Lemma 11: with keys k = W x the margin p'(k_opt - k_t) = v'(x_opt - x_t) / gamma_gap is the lead "
    "of the optimal token's score in units of the smallest one",
)
def witness_separates(runs: Runs) -> Check:
    margins = [runs[f"equal_labels_{size}"]["witness_margin"].at(0).min() for size in EQUAL_SIZES]
    return check(margins, near(1, within=1e-9))


@claim(
    says="With random labels ATT-SVM of the optimal tokens is feasible where d is at least n (T - 1): number of "
    "problems without a solution at d = 50, for (n, T) = (2, 3), (4, 6) and (6, 8)",
    basis=DERIVED,
    source="n (T - 1) differences of tokens in general position are linearly independent, and any margins can then be "
    "met",
)
def feasible_in_large_dimensions(runs: Runs) -> Check:
    random = [runs[f"random_labels_{size}"] for size in SIZES]
    return check([_infeasible(run)[run.problem.settings["d"] == 50].sum() for run in random], equals(0))


@claim(
    says="Training saturates only where a locally-optimal direction exists (n = 4, T = 6): share of the saturated "
    "problems without one, over d = 2 and 5",
    basis=CHOSEN,
    source="Theorem 4 says so of regularization paths, this is gradient descent; the threshold is ours",
    scales=FULL_SCALES,
)
def saturates_only_with_lmm(enumerated: Run) -> Check:
    exists = enumerated["lmm_exists"].filter(enumerated["saturated"]).at(enumerated.last_step)
    return check(share_above(1 - exists, "saturated problem"), at_most(0.03))


def _unsaturated(run: Run, values: Array) -> Array:
    """Return those of the values, (problems,), that belong to problems with d = 2 that do not saturate."""
    return values[(run.problem.settings["d"] == 2) & (run["saturated"].at(run.last_step) == 0)]


@claim(
    statement="fig9a-no-lmm",
    says="Share of problems without any LMM direction among those at d = 2 that do not saturate, n = 4, T = 6; all "
    "1,296 selections are tried",
    basis=CHOSEN,
    source="Appendix E, 'no SVM solution for LMM directions'; more than half is our reading",
    scales=FULL_SCALES,
    explanation="A locally-optimal direction exists in nearly all of them; gradient descent from p(0) = 0 does not "
    "find it in 1000 steps.",
)
def unsaturated_have_no_lmm(enumerated: Run) -> Check:
    exists = enumerated["lmm_exists"].at(enumerated.last_step)
    return check(share_above(_unsaturated(enumerated, 1 - exists), "unsaturated problem"), at_least(0.5))


@claim(
    statement="fig9a-no-lmm",
    says="Share of problems in which ATT-SVM of the optimal tokens has no solution among those at d = 2 that do not "
    "saturate, n = 4, T = 6",
    basis=CHOSEN,
    source="Appendix E, 'to separate optimal tokens from the rest'; more than half is our reading",
    scales=FULL_SCALES,
)
def optimal_infeasible(enumerated: Run) -> Check:
    infeasible = _unsaturated(enumerated, _infeasible(enumerated))
    return check(share_above(infeasible, "unsaturated problem"), at_least(0.5))
