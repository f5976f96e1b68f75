"""Claims about Fig 4: token composition under stochastic gradient descent, for eta_Z = 1 and eta_Y = 1 and 10."""

import numpy as np

from attention_dynamics.claims.claim import AUTHORS_CODE, CHOSEN, claim
from attention_dynamics.claims.expectation import REPORTED, Check, Expectation, check
from attention_dynamics.papers.scan_and_snap.rate_pairs import at_rates, mean_over_seeds
from attention_dynamics.run import Run
from attention_dynamics.series.published import published
from attention_dynamics.series.statistics import change, table


@claim(
    statement="fig4-log",
    says="Loss with seed 2 and eta_Y = 1 at iterations 0, 2, ..., 98, from ln 34 on, because the softmax is over all "
    "34 tokens, those for queries and next tokens included",
    basis=AUTHORS_CODE,
    source="published log; the tolerances are ours",
)
def loss(sgd: Run) -> Check:
    log = published(__file__, "fig4_loss")
    # The published loss is in single precision, which has few correct digits late in training.
    within = np.where(log["step"] <= 24, 1e-4, 1e-2) * log["loss"]
    text = "published losses +- 0.01 % to iteration 24, 1 % from 26 on"
    expected = Expectation(text, log["loss"] - within, log["loss"] + within, published=True)
    return check(table(at_rates(sgd, "loss", eta_Y=1), log["step"].astype(int).tolist()), expected)


@claim(
    statement="fig4-sgd",
    says="With seed 2, change of the entropy on distinct tokens from iteration 0 to 48 for eta_Y = 1 and 10, and the "
    "entropy at iteration 48 for eta_Y = 10 minus that for 1",
    basis=CHOSEN,
    source="Section 8; which seed the figure shows is not known, and iteration 48 is that of the authors' script",
)
def published_seed(sgd: Run) -> Check:
    slow, fast = (at_rates(sgd, "distinct_entropy", eta_Y=eta_Y) for eta_Y in (1, 10))
    found = [change(slow, 0, 48), change(fast, 0, 48), fast.at(48) - slow.at(48)]
    return check([mean_over_seeds(one, sgd) for one in found], REPORTED)
