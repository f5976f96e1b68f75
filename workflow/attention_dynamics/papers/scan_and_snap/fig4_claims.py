"""Claims about Fig 4: token composition under stochastic gradient descent, for eta_Y = 1 and 10."""

import numpy as np

from attention_dynamics.claims.claim import AUTHORS_CODE, DERIVED, PAPER, claim
from attention_dynamics.claims.expectation import Check, at_least, check, near
from attention_dynamics.claims.published import published
from attention_dynamics.claims.results import Results
from attention_dynamics.claims.statistics import table
from attention_dynamics.papers.scan_and_snap.rate_pairs import at_rates

COMPUTATION = "independent computation with the published code's data and settings"


@claim(
    "fig4",
    says="the loss begins at ln 34: the softmax is over all tokens, the query and next tokens included",
    basis=AUTHORS_CODE,
    source="published log",
)
def initial_loss(sgd: Results) -> Check:
    return check(at_rates(sgd, "loss", eta_Y=1).at(0), near(np.log(34), within=1e-6))


@claim("fig4", says="eta_Y = 1: loss at iterations 0, 2, ..., 24", basis=AUTHORS_CODE, source="published log")
def loss_early(sgd: Results) -> Check:
    return _loss(sgd, 0, 24, within_percent=0.01)


@claim("fig4", says="eta_Y = 1: loss at iterations 26, 28, ..., 98", basis=AUTHORS_CODE, source="published log")
def loss_late(sgd: Results) -> Check:
    return _loss(sgd, 26, 98, within_percent=1)


def _loss(sgd: Results, first: int, last: int, within_percent: float) -> Check:
    """Compare the loss for eta_Y = 1 with the published log, from one step to another."""
    log = published(__file__, "fig4_loss")
    rows = (log["step"] >= first) & (log["step"] <= last)
    steps = log["step"][rows].astype(int).tolist()
    return check(table(at_rates(sgd, "loss", eta_Y=1), steps), near(log["loss"][rows], within_percent=within_percent))


@claim("fig4", says="eta_Y = 10: loss at iterations 2 and 4", basis=DERIVED, source=COMPUTATION)
def loss_right(sgd: Results) -> Check:
    losses = table(at_rates(sgd, "loss", eta_Y=10), [2, 4])
    return check(losses, near([0.05448, 1.492e-3], within_percent=0.05))


@claim(
    "fig4",
    says="share of the common tokens at iteration 48, mean of the two classes, for eta_Y = 1 and 10",
    basis=DERIVED,
    source=COMPUTATION,
)
def common_mass(sgd: Results) -> Check:
    return check(sgd["common_mass"].at(48), near([0.3917, 0.55795], within=1e-4))


@claim(
    "fig4",
    says="first class: mean distinct token at iteration 48, counted from 0 and weighted by its share",
    basis=DERIVED,
    source=COMPUTATION,
)
def mean_token(sgd: Results) -> Check:
    return check(sgd["mean_token"].at(48), near([6.94129, 6.28482], within=1e-4))


@claim(
    "fig4",
    says="attention is sparser for eta_Y = eta_Z: entropy on distinct tokens at iteration 48 for eta_Y = 10 minus that "
    "for 1",
    basis=PAPER,
    source="Section 8",
)
def sparser(sgd: Results) -> Check:
    return check(np.diff(sgd["distinct_entropy"].at(48)), at_least(0))
