"""Claims about Fig 8: with two inputs, two starts reach two max-margin directions."""

from attention_dynamics.claims.claim import CHOSEN, DERIVED, claim
from attention_dynamics.claims.expectation import Check, at_least, check, equals, near
from attention_dynamics.claims.results import LMM_SET, Results


@claim(
    "fig8",
    says="One start converges to GMM",
    basis=CHOSEN,
    source="Appendix E, Fig 8; threshold from an independent cancellation-free run",
)
def first_reaches_gmm(two_starts: Results) -> Check:
    return check(two_starts["correlation_gmm"].starts(0).at(1000), at_least(0.999))


@claim(
    "fig8",
    says="The other start converges to LMM",
    basis=CHOSEN,
    source="Appendix E, Fig 8; threshold from an independent cancellation-free run",
)
def second_reaches_lmm(two_starts: Results) -> Check:
    return check(two_starts["correlation_lmm"].starts(1).at(1000), at_least(0.999))


@claim(
    "fig8",
    says="The second input's selected token differs: mean softmax probability of the optimal tokens at the end",
    basis=DERIVED,
    source="Appendix E, Fig 8; one of two inputs selects its other token",
)
def second_input_differs(two_starts: Results) -> Check:
    return check(two_starts["softmax_optimal"].at(1000), near([1, 0.5], within=1e-6))


@claim(
    "fig8",
    says="Number of locally-optimal selections, out of four",
    basis=DERIVED,
    source="Definition 2, by enumeration",
)
def two_lmm(two_starts: Results) -> Check:
    return check(two_starts.reference(LMM_SET, "count"), equals(2))


@claim(
    "fig8",
    says="Their directions: GMM (3, 1) and LMM (0, 1), normalized",
    basis=DERIVED,
    source="Definition 2, solved by hand",
)
def lmm_directions(two_starts: Results) -> Check:
    expected = [0.948683298, 0.316227766, 0, 0, 1, 0]
    return check(two_starts.reference(LMM_SET, "direction"), near(expected, within=1e-8))


@claim(
    "fig8",
    says="The token that LMM selects in the second input has no SVM-neighbour (neighbours by input and token)",
    basis=DERIVED,
    source="Appendix E says so of the second input; the first, solved by hand",
)
def no_neighbour(two_starts: Results) -> Check:
    return check(two_starts.reference("lmm", "neighbours"), equals([0, 1, 0, 0]))
