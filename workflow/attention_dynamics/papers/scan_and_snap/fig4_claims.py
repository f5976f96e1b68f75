"""Claims about Fig 4: token composition under stochastic gradient descent, for eta_Z = 1 and eta_Y = 1 and 10.

c_n is the composition of what class n attends to. The data have two classes with a query token each, ten common tokens
and ten distinct ones of each class.
"""

import numpy as np

from attention_dynamics.claims.claim import AUTHORS_CODE, PAPER, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, near
from attention_dynamics.papers.scan_and_snap.rate_pairs import at_rates
from attention_dynamics.run import Run
from attention_dynamics.series.published import published
from attention_dynamics.series.statistics import change, table


@claim(
    "fig4",
    says="The softmax is over all 34 tokens, those for queries and next tokens included: loss before training, ln 34",
    basis=AUTHORS_CODE,
    source="published log, seed 2",
)
def initial_loss(sgd: Run) -> Check:
    return check(at_rates(sgd, "loss", eta_Y=1).at(0), near(np.log(34), within=1e-6))


@claim(
    "fig4",
    says="The loss for eta_Y = 1 falls as published: its value at iterations 0, 2, ..., 24",
    basis=AUTHORS_CODE,
    source="published log, seed 2",
)
def loss_early(sgd: Run) -> Check:
    return _loss(sgd, 0, 24, within_percent=0.01)


@claim(
    "fig4",
    says="The loss for eta_Y = 1 stays as low as published: its value at iterations 26, 28, ..., 98",
    basis=AUTHORS_CODE,
    source="published log, seed 2",
)
def loss_late(sgd: Run) -> Check:
    return _loss(sgd, 26, 98, within_percent=1)


def _loss(sgd: Run, first: int, last: int, within_percent: float) -> Check:
    """Compare the loss for eta_Y = 1 with the published log, from one step to another."""
    log = published(__file__, "fig4_loss")
    rows = (log["step"] >= first) & (log["step"] <= last)
    steps = log["step"][rows].astype(int).tolist()
    return check(table(at_rates(sgd, "loss", eta_Y=1), steps), near(log["loss"][rows], within_percent=within_percent))


@claim(
    "fig4",
    says="Attention becomes sparse during training: change of the entropy on distinct tokens from iteration 0 to 48, "
    "for eta_Y = 1 and 10",
    basis=PAPER,
    source="Section 8: 'The attention indeed becomes sparse during training'",
)
def becomes_sparse(sgd: Run) -> Check:
    return check(change(sgd["distinct_entropy"], 0, 48), at_most(0))


@claim(
    "fig4",
    says="A larger eta_Y makes training faster: loss for eta_Y = 10 over that for eta_Y = 1, largest ratio at "
    "iterations 2 to 10",
    basis=PAPER,
    source="Section 8: 'increasing' eta_Y 'with fixed' eta_Z 'leads to faster convergence but less sparse attention'",
)
def faster(sgd: Run) -> Check:
    losses = sgd["loss"].during(2, 10)
    return check((losses.values[:, 1] / losses.values[:, 0]).max(), at_most(1))


@claim(
    "fig4",
    says="A larger eta_Y makes attention less sparse: entropy on distinct tokens at iteration 48 for eta_Y = 10 minus "
    "that for eta_Y = 1",
    basis=PAPER,
    source="Section 8: 'increasing' eta_Y 'with fixed' eta_Z 'leads to faster convergence but less sparse attention'",
)
def sparser(sgd: Run) -> Check:
    return check(np.diff(sgd["distinct_entropy"].at(48)), at_least(0))
