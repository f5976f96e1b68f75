"""Claims about Fig 8: with two inputs, two starts reach two max-margin directions."""

from attention_dynamics.claims.claim import CHOSEN, DERIVED, claim
from attention_dynamics.claims.expectation import Check, at_most, check, equals, near
from attention_dynamics.papers.max_margin.convergence import turning
from attention_dynamics.run import LMM_SET, Run


@claim(
    statement="fig8-two-solutions;theorem-2-tight",
    says="The first start converges to GMM, the second to LMM: largest angle in steps 901 to 1000 over that in steps "
    "101 to 200",
    basis=CHOSEN,
    source="Appendix E; tokens, starts and windows are ours",
)
def two_solutions(two_starts: Run) -> Check:
    pairs = enumerate(("correlation_gmm", "correlation_lmm"))
    return check([turning(two_starts[name].starts(start)) for start, name in pairs], at_most(1))


@claim(
    says="Two of the four selections of one token per input are locally optimal: their number",
    basis=DERIVED,
    source="Definition 2: each of the other two has an SVM-neighbor that scores more; the four programs solved by hand",
)
def two_lmm(two_starts: Run) -> Check:
    return check(two_starts.reference(LMM_SET, "count"), equals(2))


@claim(
    says="GMM has the direction (3, 1) and LMM (0, 1): coordinates, normalized",
    basis=DERIVED,
    source="GMM: both constraints are active, p_2 = 1 and p_1 - 2 p_2 = 1; LMM: p_2 = 1 alone is active",
)
def lmm_directions(two_starts: Run) -> Check:
    expected = [0.948683298, 0.316227766, 0, 0, 1, 0]
    return check(two_starts.reference(LMM_SET, "direction"), near(expected, within=1e-8))


@claim(
    says="The token that LMM selects in the second input has no SVM-neighbor: flags of the four tokens, input by input",
    basis=DERIVED,
    source="its constraint has the value 2 at (0, 1), solved by hand; Appendix E: 'the square teal token does not "
    "have any SVM-neighbors'",
)
def no_neighbor(two_starts: Run) -> Check:
    return check(two_starts.reference("lmm", "neighbors"), equals([0, 1, 0, 0]))
