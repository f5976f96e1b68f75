"""Claims about Fig 3: joint training of the prompt p and the head v."""

from typing import NamedTuple

from attention_dynamics.claims.claim import AUTHORS_CODE, CHOSEN, DERIVED, PAPER, claim
from attention_dynamics.claims.expectation import Check, at_least, check, equals, near
from attention_dynamics.run import Run
from attention_dynamics.series.statistics import smallest


class Parameter(NamedTuple):
    """A trained parameter, and the program whose solution it converges to."""

    name: str
    program: str
    series: str


PARAMETERS = {
    "p": Parameter("p", "ATT-SVM", "correlation_gmm"),
    "v": Parameter("v", "label SVM", "correlation_head"),
}

# Fig 3a: every optimal token supports the label SVM.


@claim(
    "fig3a",
    cases=PARAMETERS,
    says="{case.name} converges to the {case.program} direction: cosine after 200 steps",
    basis=CHOSEN,
    source="Section 3.1, Fig 3a; the threshold is ours, just below the numbers of an independent run",
)
def converges_by_200(joint_all: Run, case: Parameter) -> Check:
    return check(joint_all[case.series].at(200), at_least(0.998))


@claim(
    "fig3a",
    says="All three optimal tokens are support vectors of the label SVM: flags of the three inputs",
    basis=PAPER,
    source="Section 3.1: 'The optimal tokens [...] are all support vectors of the (SVM)'",
)
def all_support_vectors(joint_all: Run) -> Check:
    return check(joint_all.reference("head", "tight"), equals([1, 1, 1]))


@claim(
    "fig3a",
    says="ATT-SVM of the optimal tokens has the published objective: |p_mm|^2 / 2",
    basis=AUTHORS_CODE,
    source="printed by the published notebook",
)
def gmm_objective(joint_all: Run) -> Check:
    return check(joint_all.reference("gmm", "objective"), near(0.94444, within=1e-5))


@claim(
    "fig3a",
    says="Only inputs 2 and 3 have active ATT-SVM constraints: flags of the six tokens, input by input",
    basis=PAPER,
    source="Section 3.1: 'its direction is dictated by yellow and teal colored [tokens] which are the support "
    "vectors'; these are inputs 3 and 2",
)
def dictated_by_two(joint_all: Run) -> Check:
    return check(joint_all.reference("gmm", "support"), equals([0, 0, 0, 1, 0, 1]))


# Fig 3b: the optimal token of the third input does not.


@claim(
    "fig3b",
    says="p converges to the relaxed SVM direction of eq. 10: cosine after 200 steps",
    basis=CHOSEN,
    source="Section 3.2: '[p] solves the relaxed problem (10)'; the threshold is ours, just below the number of an "
    "independent run",
)
def relaxed_by_200(joint_relaxed: Run) -> Check:
    return check(joint_relaxed["correlation_relaxed"].at(200), at_least(0.998))


@claim(
    "fig3b",
    says="p follows the relaxed SVM rather than ATT-SVM: difference of its cosines with the two after 200 steps",
    basis=CHOSEN,
    source="Section 3.2, Fig 3b; the threshold is ours, a third of the number of an independent run",
)
def not_att_svm(joint_relaxed: Run) -> Check:
    lead = joint_relaxed["correlation_relaxed"] - joint_relaxed["correlation_gmm"]
    return check(lead.at(200), at_least(0.005))


@claim(
    "fig3b",
    says="The third optimal token is no support vector of the label SVM: flags of the three inputs",
    basis=PAPER,
    source="Section 3.2: 'however the yellow [token] is no longer a support vector of (SVM)'",
)
def third_is_no_support_vector(joint_relaxed: Run) -> Check:
    return check(joint_relaxed.reference("head", "tight"), equals([1, 1, 0]))


@claim(
    "fig3b",
    says="Input 3's optimal token keeps a positive margin, half the others': margins of the three inputs in the "
    "relaxed SVM",
    basis=DERIVED,
    source="the constraints p_1 + p_2 >= 1 and p_1 - p_2 >= 1 add up to p_1 >= 1, so that p_relax = (1, 0), and "
    "margins are first coordinates, 1, 1 and 0.5; Section 3.2: 'yellow only needs to achieve positive correlation'",
)
def third_is_selected(joint_relaxed: Run) -> Check:
    return check(joint_relaxed.reference("relaxed", "margins_of_others"), near([1, 1, 0.5], within=1e-8))


# Fig 3c: softmax and logistic probabilities along the run of Fig 3a.


@claim(
    "fig3c",
    says="The softmax probability of the optimal tokens reaches 1: smallest value from step 150 on",
    basis=CHOSEN,
    source="Section 3.2: 'attention mechanism successfully selects the optimal tokens'; step and threshold are ours, "
    "from an independent run",
)
def softmax_to_one(joint_all: Run) -> Check:
    return check(smallest(joint_all["softmax_optimal"].during(150, 1000)), at_least(0.999))


@claim(
    "fig3c",
    says="The logistic probability of the labels reaches 1: smallest value from step 150 on",
    basis=CHOSEN,
    source="Section 3.2: 'suggesting that the inputs are correctly classified'; step and threshold are ours, from an "
    "independent run",
)
def logistic_to_one(joint_all: Run) -> Check:
    return check(smallest(joint_all["logistic"].during(150, 1000)), at_least(0.999))
