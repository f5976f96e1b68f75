"""Claims about Theorem 8: two optimal tokens in one input give ATT-SVM' two solutions."""

from attention_dynamics.claims.claim import CHOSEN, DERIVED, claim
from attention_dynamics.claims.expectation import Check, at_most, check, near
from attention_dynamics.papers.max_margin.convergence import late_over_early
from attention_dynamics.run import Run


@claim(
    statement="theorem-8",
    says="With a linear head and two optimal tokens in one input: distance of p(R) |p_mm| / R from the solution set at "
    "R = 100 over that at R = 10; 0 where both are rounding",
    basis=CHOSEN,
    source="Theorem 8; tokens, scores and radii are ours",
)
def solution_set(tied_path: Run) -> Check:
    return check(late_over_early(tied_path["solution_distance"], (10, 10), (100, 100)), at_most(1))


@claim(
    says="The solution of ATT-SVM' that selects the first optimal token is (1, 0): its coordinates",
    basis=DERIVED,
    source="its own constraint p_1 >= 1 alone is active",
)
def first_weights(tied_path: Run) -> Check:
    return check(tied_path.reference("first", "weights"), near([1, 0, 0], within=1e-12))


@claim(
    says="The solution of ATT-SVM' that selects the second optimal token is (-0.6, 0.8): its coordinates; halfway "
    "between the two solutions, at (0.2, 0.4), the better token has margin 0.2 only, so that the program is not convex",
    basis=DERIVED,
    source="the active constraints -p_1 + 0.5 p_2 = 1 and 1.2 p_1 + 2.15 p_2 = 1 meet at (-0.6, 0.8)",
)
def second_weights(tied_path: Run) -> Check:
    return check(tied_path.reference("second", "weights"), near([-0.6, 0.8, 0], within=1e-12))
