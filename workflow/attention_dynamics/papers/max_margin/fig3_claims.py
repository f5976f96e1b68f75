"""Claims about Fig 3: joint training of the prompt p and the head v.

The optimal tokens of inputs 1, 2 and 3 are green, teal and yellow in the paper.
"""

import numpy as np

from attention_dynamics.claims.claim import AUTHORS_CODE, CHOSEN, DERIVED, PAPER, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, equals, near
from attention_dynamics.papers.max_margin.convergence import AT_THE_END, FIVE_DEGREES, degrees_at, turning
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.series.statistics import first_step_staying_above

# Probabilities of at least this number are printed as 1.00, which is our reading of "reaches 1".
ONE = 0.995
LAST_DRAWN_STEP = 200


def _margins(run: Run) -> Array:
    """Return the margins p'k of the optimal tokens, (records, inputs). The other tokens are at the origin."""
    keys = run.problem.keys[0, :, 0]
    margins: Array = run.trajectory["p"][:, 0, 0] @ keys.T
    return margins


# Fig 3a: every optimal token supports the label SVM.


@claim(
    "fig3a",
    statement="fig3a-dictated-by-two",
    says="p converges to ATT-SVM, and inputs 2 and 3 (teal, yellow) constrain it: largest angle in steps 901 to 1000 "
    "over that in steps 101 to 200; the larger of their margins p'k at step 1000 over that of input 1 (green)",
    basis=CHOSEN,
    source="Section 3.1; data, starts and step sizes of the published code; the windows are ours",
)
def p_takes_att_svm(joint_all: Run) -> Check:
    green, teal, yellow = _margins(joint_all)[joint_all.at(1000)]
    return check([turning(joint_all["correlation_gmm"]), max(teal, yellow) / green], at_most(1))


@claim(
    "fig3a", statement="fig3a-dictated-by-two", says=f"p to ATT-SVM: {AT_THE_END}", basis=CHOSEN,
    source="Section 3.1; five degrees, for all figures alike, are ours",
)  # fmt: skip
def p_converges_by_1000(joint_all: Run) -> Check:
    return check(degrees_at(joint_all["correlation_gmm"], 1000), FIVE_DEGREES)


@claim(
    "fig3a",
    statement="fig3a-all-support-vectors",
    says="Flags of the three inputs in the label SVM, and the coordinates of its direction",
    basis=DERIVED,
    source="Section 3.1: the optimal tokens 'are all support vectors'; the direction is lost in the text, (0, 1) is "
    "solved by hand",
)
def all_support_vectors(joint_all: Run) -> Check:
    return check([joint_all.reference("head", "tight"), joint_all.reference("head", "direction")],
                 near([1, 1, 1, 0, 1], within=1e-8))  # fmt: skip


@claim(
    "fig3a", statement="code-fig3a-objective", says="|p_mm|^2 / 2, to the printed digits", basis=AUTHORS_CODE,
    source="printed by the published notebook",
)  # fmt: skip
def gmm_objective(joint_all: Run) -> Check:
    return check(joint_all.reference("gmm", "objective"), near(0.94444, within=1e-5, published=True))


@claim(
    "fig3a",
    statement="fig3a-dictated-by-two",
    says="Only inputs 2 and 3 have active ATT-SVM constraints: flags of the six tokens, input by input",
    basis=PAPER,
    source="Section 3.1: 'yellow and teal colored [tokens] which are the support vectors'",
)
def dictated_by_two(joint_all: Run) -> Check:
    return check(joint_all.reference("gmm", "support"), equals([0, 0, 0, 1, 0, 1]))


# Fig 3b: the optimal token of the third input does not support the label SVM.


@claim(
    "fig3b",
    statement="fig3b-relaxed",
    says="Largest angle of p to the relaxed SVM in steps 901 to 1000 over that in steps 101 to 200; its largest angle "
    "over that to ATT-SVM in steps 100 to 1000",
    basis=CHOSEN,
    source="Section 3.2; data, starts and step sizes of the published code; the windows are ours",
)
def converges_to_relaxed(joint_relaxed: Run) -> Check:
    relaxed, strict = (joint_relaxed[f"correlation_{name}"] for name in ("relaxed", "gmm"))
    angles = [np.arccos(one.during(100, 1000).values.clip(-1, 1)) for one in (relaxed, strict)]
    return check([turning(relaxed), (angles[0] / angles[1]).max()], at_most(1))


@claim(
    "fig3b", statement="fig3b-relaxed", says=f"p to the relaxed SVM: {AT_THE_END}", basis=CHOSEN,
    source="Section 3.2; five degrees, for all figures alike, are ours",
)  # fmt: skip
def relaxed_by_1000(joint_relaxed: Run) -> Check:
    return check(degrees_at(joint_relaxed["correlation_relaxed"], 1000), FIVE_DEGREES)


@claim(
    "fig3b",
    statement="fig3b-no-support-vector",
    says="Flags of the three inputs in the label SVM, and the coordinates of its direction, which is that of Fig 3a",
    basis=DERIVED,
    source="Section 3.2: 'the yellow is no longer a support vector'; the direction is lost in the text, (0, 1) is "
    "solved by hand",
)
def third_is_no_support_vector(joint_relaxed: Run) -> Check:
    return check([joint_relaxed.reference("head", "tight"), joint_relaxed.reference("head", "direction")],
                 near([1, 1, 0, 0, 1], within=1e-8))  # fmt: skip


@claim(
    "fig3b",
    statement="fig3b-yellow-positive",
    says="Of the trained p: smallest p'k of input 3's token (yellow) in steps 100 to 1000, and how far it is below the "
    "smaller one of the other two at step 1000, so that it does not constrain p",
    basis=CHOSEN,
    source="Section 3.2; step 100 is ours",
)
def yellow_is_slack(joint_relaxed: Run) -> Check:
    margins = _margins(joint_relaxed)[joint_relaxed.at(100) : joint_relaxed.at(1000) + 1]
    return check([margins[:, 2].min(), margins[-1, :2].min() - margins[-1, 2]], at_least(0))


@claim(
    "fig3b",
    says="Input 3's optimal token keeps a positive margin, half the others': margins of the three inputs in the "
    "relaxed SVM",
    basis=DERIVED,
    source="the constraints p_1 + p_2 >= 1 and p_1 - p_2 >= 1 add up to p_1 >= 1, so that p_relax = (1, 0), and "
    "margins are first coordinates, 1, 1 and 0.5",
)
def third_is_selected(joint_relaxed: Run) -> Check:
    return check(joint_relaxed.reference("relaxed", "margins_of_others"), near([1, 1, 0.5], within=1e-8))


# Fig 3c: softmax and logistic probabilities in the run of Fig 3a.


@claim(
    "fig3c",
    statement="fig3c-softmax-one",
    says="First step from which the mean softmax probability of the optimal tokens stays at least 0.995",
    basis=CHOSEN,
    source="Section 3.2: prints as 1.00 by the last drawn step, 200, and stays so, is our reading of 'reaches 1'",
)
def softmax_to_one(joint_all: Run) -> Check:
    return check(first_step_staying_above(joint_all["softmax_optimal"].during(0, 1000), ONE), at_most(LAST_DRAWN_STEP))


@claim(
    "fig3c",
    statement="fig3c-logistic-one",
    says="First step from which the mean logistic probability of the labels stays at least 0.995",
    basis=CHOSEN,
    source="Section 3.2: prints as 1.00 by the last drawn step, 200, and stays so, is our reading of 'reaches 1'; the "
    "mean of three is then above 2/3 + 1/6, so that all three inputs are classified correctly",
)
def logistic_to_one(joint_all: Run) -> Check:
    return check(first_step_staying_above(joint_all["logistic"].during(0, 1000), ONE), at_most(LAST_DRAWN_STEP))
