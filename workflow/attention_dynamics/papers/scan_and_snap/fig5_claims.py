"""Claims about Fig 5: token composition under Adam, for three learning rates eta_Y = eta_Z."""

from typing import NamedTuple

import numpy as np

from attention_dynamics.claims.claim import DERIVED, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, equals, near
from attention_dynamics.claims.results import Results
from attention_dynamics.papers.scan_and_snap.rate_pairs import at_rates

COMPUTATION = "independent computation with the published code's data and settings"


class Expected(NamedTuple):
    """The mean distinct token for a learning rate."""

    eta: float
    token: float


@claim(
    "fig5",
    says="eta = {case.eta}: mean distinct token of the first class at iteration 48, counted from 0 and weighted by its "
    "share",
    cases={"0.1": Expected(0.1, 4.38481), "0.5": Expected(0.5, 4.91453), "1": Expected(1, 5.88030)},
    basis=DERIVED,
    source=COMPUTATION,
)
def mean_token(adam: Results, case: Expected) -> Check:
    token = at_rates(adam, "mean_token", eta_Y=case.eta, eta_Z=case.eta).at(48)
    return check(token, near(case.token, within=1e-3))


@claim(
    "fig5",
    says="different learning rates pick different distinct tokens: index of the likeliest, for eta = .1, .5 and 1",
    basis=DERIVED,
    source="Fig 5, in words; numbers of an independent computation for seed 2",
)
def other_tokens(adam: Results) -> Check:
    return check(adam["top_token"].at(48), equals([3, 6, 9]))


@claim(
    "fig5",
    says="the larger the learning rate, the later the mean distinct token: smaller of two differences",
    basis=DERIVED,
    source="independent computation; the paper says that the tokens differ",
)
def later_with_eta(adam: Results) -> Check:
    return check(np.diff(adam["mean_token"].at(48)), at_least(0))


@claim(
    "fig5",
    says="the larger the learning rate, the smaller the share of the common tokens at iteration 48: "
    "larger of two differences",
    basis=DERIVED,
    source=COMPUTATION,
)
def common_mass(adam: Results) -> Check:
    return check(np.diff(adam["common_mass"].at(48)), at_most(0))
