"""Claims about joint mirror descent on W and the head: the limits of both paths, and probabilities."""

import numpy as np

from attention_dynamics.claims.claim import AUTHORS_CODE, CHOSEN, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, equals
from attention_dynamics.papers.mirror_descent.protocol import EXPONENTS, run_of
from attention_dynamics.run import Runs

SELECTED_TOKENS = {1.75: [1, 0], 2: [1, 0], 3: [0, 0]}


@claim(
    "fig_joint_path",
    statement="output-joint-tokens",
    says="Attention selects the published tokens: their numbers in the two inputs, counted from 0, for p = 1.75, 2 and "
    "3",
    basis=AUTHORS_CODE,
    source="output stored with the published code",
)
def tokens(runs: Runs) -> Check:
    found = [run_of(runs, "joint", p).reference("attention", "selected") for p in EXPONENTS]
    return check(found, equals(np.ravel(list(SELECTED_TOKENS.values())).tolist(), published=True))


@claim(
    "fig_joint_path",
    statement="abstract-joint; picture-joint-iterates",
    says="On the published data set of two inputs, W and head keep turning to the l_p-AttSVM and the l_p-SVM: "
    "divergence of each at the end over that at a tenth of the run, without guard and cancellation, for p = 1.75, 2 "
    "and 3. The conditions of the paper are not at hand",
    basis=CHOSEN,
    source="the reading is ours: of a limit only that the divergence keeps falling can be measured",
)
def converge_jointly(runs: Runs) -> Check:
    ratios = []
    for p in EXPONENTS:
        run = run_of(runs, "joint_exact", p)
        for series in (run["bregman_attention"], run["bregman_head"]):
            ratios += list(series.at(run.last_step) / series.at(run.last_step // 10))
    return check(ratios, at_most(1))


@claim(
    "fig_joint_probability",
    statement="picture-joint-probabilities",
    says="Logistic and softmax probabilities of the selected tokens rise within 100 iterations: the smaller of the two "
    "at iteration 100 minus at 0, mean of the inputs, for p = 1.75, 2 and 3",
    basis=CHOSEN,
    source="the stored picture of the published code; that only the rise is judged is ours, numbers are among the "
    "expected ones",
)
def rise_to_one(runs: Runs) -> Check:
    rises = []
    for p in EXPONENTS:
        run = run_of(runs, "joint", p)
        probabilities = [run[series] for series in ("selected_logistic", "softmax_selected")]
        first, last = (min(series.at(step).item() for series in probabilities) for step in (0, 100))
        rises.append(last - first)
    return check(rises, at_least(0))
