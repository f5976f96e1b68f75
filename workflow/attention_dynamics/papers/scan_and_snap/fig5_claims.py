"""Claims about Fig 5: token composition under Adam, for three learning rates eta = eta_Y = eta_Z.

The ten distinct tokens of a class are numbered from 0, in the order of their probability.
"""

from typing import NamedTuple

import numpy as np

from attention_dynamics.claims.claim import PAPER, RECOMPUTED, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, equals, near
from attention_dynamics.claims.results import Results
from attention_dynamics.papers.scan_and_snap.rate_pairs import at_rates

COMPUTATION_SOURCE = "independent computation with the published code's data and settings"


class Expected(NamedTuple):
    """The mean distinct token for a learning rate."""

    eta: float
    token: float


@claim(
    "fig5",
    says="Different learning rates focus on different distinct tokens: smallest distance between the numbers of the "
    "most attended token for eta = 0.1, 0.5 and 1, at iteration 48",
    basis=PAPER,
    source="Section 8: 'self-attention with different learning rate picks different subsets of distinct tokens to "
    "focus on'",
)
def differ(adam: Results) -> Check:
    return check(np.diff(np.sort(adam["top_token"].at(48))).min(), at_least(1))


@claim(
    "fig5",
    says="The most attended distinct token is that of an independent computation: its number in the first class, "
    "counted from 0, at iteration 48, for eta = 0.1, 0.5, 1",
    basis=RECOMPUTED,
    source=COMPUTATION_SOURCE + ", seed 2",
)
def other_tokens(adam: Results) -> Check:
    return check(adam["top_token"].at(48), equals([3, 6, 9]))


@claim(
    "fig5",
    says="With eta = {case.eta} attention is on the distinct tokens of an independent computation: mean number of "
    "those of the first class at iteration 48, weighted by their shares",
    cases={"0.1": Expected(0.1, 4.38481), "0.5": Expected(0.5, 4.91453), "1": Expected(1, 5.88030)},
    basis=RECOMPUTED,
    source=COMPUTATION_SOURCE,
)
def mean_token(adam: Results, case: Expected) -> Check:
    token = at_rates(adam, "mean_token", eta_Y=case.eta, eta_Z=case.eta).at(48)
    return check(token, near(case.token, within=1e-3))


@claim(
    "fig5",
    says="The larger the learning rate, the smaller the share of the common tokens in c_n, what class n attends to: "
    "larger change from one eta to the next larger one, at iteration 48",
    basis=RECOMPUTED,
    source=COMPUTATION_SOURCE,
)
def common_mass(adam: Results) -> Check:
    return check(np.diff(adam["common_mass"].at(48)), at_most(0))
