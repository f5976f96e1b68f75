"""Claims about Theorem 8: two optimal tokens in one input give ATT-SVM' two solutions."""

from attention_dynamics.claims.claim import CHOSEN, DERIVED, FULL_SCALES, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, equals, near
from attention_dynamics.claims.results import Results
from attention_dynamics.claims.statistics import count_above

# Cosine with a solution from which on a start counts as having reached it.
REACHED = 0.99


@claim(
    "ext_ties",
    says="The regularization path reaches the solution set of ATT-SVM': distance of p(R) |p_mm| / R from it at R = 100",
    basis=CHOSEN,
    source="Theorem 8; the threshold is ours",
)
def solution_set(tied_path: Results) -> Check:
    return check(tied_path["solution_distance"].at(100), at_most(1e-6))


@claim(
    "ext_ties",
    says="Selecting the first optimal token: norm of the solution",
    basis=DERIVED,
    source="solved by hand",
)
def first_norm(tied_path: Results) -> Check:
    return check(tied_path.reference("first", "norm"), near(1, within=1e-12))


@claim(
    "ext_ties",
    says="Selecting the second: the same norm",
    basis=DERIVED,
    source="solved by hand",
)
def second_norm(tied_path: Results) -> Check:
    return check(tied_path.reference("second", "norm"), near(1, within=1e-12))


@claim(
    "ext_ties",
    says="The first solution",
    basis=DERIVED,
    source="solved by hand",
)
def first_weights(tied_path: Results) -> Check:
    return check(tied_path.reference("first", "weights"), near([1, 0, 0], within=1e-12))


@claim(
    "ext_ties",
    says="The second solution; halfway between them, at (0.2, 0.4), the better token has margin 0.2 only: not convex",
    basis=DERIVED,
    source="solved by hand",
)
def second_weights(tied_path: Results) -> Check:
    return check(tied_path.reference("second", "weights"), near([-0.6, 0.8, 0], within=1e-12))


@claim(
    "ext_ties",
    says="Gradient descent from every start of the grid reaches one of the two (smallest number of a limit; -1 is "
    "none)",
    basis=CHOSEN,
    source="observed, not stated by the paper",
)
def every_start_has_a_limit(tied_basin: Results) -> Check:
    return check(tied_basin["limit"].at(2000).min(), at_least(0))


@claim(
    "ext_ties",
    says="How many of the 2346 starts reach the first solution",
    basis=DERIVED,
    source="independent run of the textbook gradient in double precision",
    scales=FULL_SCALES,
)
def reach_first(tied_basin: Results) -> Check:
    return check(count_above(tied_basin["correlation_first"].at(2000), REACHED), equals(1084))


@claim(
    "ext_ties",
    says="How many reach the second",
    basis=DERIVED,
    source="independent run of the textbook gradient in double precision",
    scales=FULL_SCALES,
)
def reach_second(tied_basin: Results) -> Check:
    return check(count_above(tied_basin["correlation_second"].at(2000), REACHED), equals(1262))
