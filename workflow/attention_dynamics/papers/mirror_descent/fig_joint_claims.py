"""Claims about joint mirror descent on W and the head: limits of their paths, and probabilities."""

from attention_dynamics.claims.claim import AUTHORS_CODE, CHOSEN, PAPER, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, equals
from attention_dynamics.papers.mirror_descent.abstract import JOINT
from attention_dynamics.papers.mirror_descent.protocol import EXPONENTS, run_of
from attention_dynamics.run import Runs

LIMIT_SOURCE = f"{JOINT}; the threshold was chosen after seeing 0.0002 to 0.0083"

SELECTED_TOKENS = {1.75: [1, 0], 2: [1, 0], 3: [0, 0]}


@claim(
    "fig_joint_path",
    says="With p = {case}, attention selects the published tokens: their numbers in the two inputs, counted from 0",
    cases=EXPONENTS,
    basis=AUTHORS_CODE,
    source="output stored with the published code",
)
def tokens(runs: Runs, case: float) -> Check:
    return check(run_of(runs, "joint", case).reference("attention", "selected"), equals(SELECTED_TOKENS[case]))


@claim(
    "fig_joint_path",
    says="With p = {case}, W and head converge to the directions of the l_p-AttSVM and of the l_p-SVM: divergence of "
    "each at the end (1 for an unrelated direction)",
    cases=EXPONENTS,
    basis=PAPER,
    source=LIMIT_SOURCE,
)
def converge_jointly(runs: Runs, case: float) -> Check:
    run = run_of(runs, "joint", case)
    ends = [run[series].at(run.last_step) for series in ("bregman_attention", "bregman_head")]
    return check(ends, at_most(0.01))


@claim(
    "fig_joint_probability",
    says="Logistic and softmax probabilities of the selected tokens rise to one within 100 iterations: the smaller of "
    "the two at iteration 100, mean of the inputs, for p = 1.75, 2 and 3",
    basis=CHOSEN,
    source="the stored picture of the published code; the threshold is ours",
)
def rise_to_one(runs: Runs) -> Check:
    at_100 = [
        min(run[series].at(100).item() for series in ("selected_logistic", "softmax_selected"))
        for run in (run_of(runs, "joint", p) for p in EXPONENTS)
    ]
    return check(at_100, at_least(0.99))
