"""Claims about Lemmas 8 and 9: margin and neighbors of a direction decide about the risk along it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.claims.claim import DERIVED, claim
from attention_dynamics.claims.expectation import Check, at_least, check, equals, near
from attention_dynamics.claims.results import Results, Runs


class Rays(NamedTuple):
    """Data, and the run of rays on it."""

    run: str
    data: str


CASES = {"1b": Rays("rays_1b", "Fig 1b's data"), "8": Rays("rays_8", "Fig 8's data")}
FIRST_RADIUS, LAST_RADIUS = 100, 200
# The lemmas need a large product of R and a difference of margins: smaller differences need a larger radius.
LEAST_GAP = 0.05


def _is_clear(run: Results) -> NDArray[np.bool_]:
    """Return which directions have neighbors of one kind, at a distance from selected and other tokens."""
    apart = np.minimum(run["margin"].at(LAST_RADIUS), run["margin_gap"].at(LAST_RADIUS)) > LEAST_GAP
    return apart & (run["neighbor_optimal"].at(LAST_RADIUS) != 0)


@claim(
    "ext_directions",
    cases=CASES,
    says="Along a direction q the risk approaches that of the selected tokens as exp(-R margin) ({case.data}): rate "
    "from R = 100 to 200 over the margin, smallest and largest over the directions",
    basis=DERIVED,
    source="proof of Lemma 8: the directional neighbors have the softmax probability exp(-R margin), all other "
    "tokens less",
)
def rate(runs: Runs, case: Rays) -> Check:
    run = runs[case.run]
    ratio = (
        (run["log_excess"].at(FIRST_RADIUS) - run["log_excess"].at(LAST_RADIUS))
        / (LAST_RADIUS - FIRST_RADIUS)
        / run["margin"].at(LAST_RADIUS)
    )
    clear = _is_clear(run)
    return check([ratio[clear].min(), ratio[clear].max()], near(1, within=0.03))


@claim(
    "ext_directions",
    cases=CASES,
    says="The risk along a direction ends above that of the selected tokens if all its neighbors score less, and "
    "below if all score more ({case.data}): smallest product of the two signs at R = 200",
    basis=DERIVED,
    source="Lemma 9, and eq. 63 in the proof of Lemma 8: the neighbors' scores decide about the sign of the difference",
)
def side(runs: Runs, case: Rays) -> Check:
    run = runs[case.run]
    product = run["excess_sign"].at(LAST_RADIUS) * run["neighbor_optimal"].at(LAST_RADIUS)
    return check(product[_is_clear(run)].min(), equals(1))


@claim(
    "ext_directions",
    cases=CASES,
    says="Of two neighbor-optimal directions that select the same tokens, the one with the larger margin has the "
    "smaller risk far out ({case.data}): share of the pairs with a margin difference of 0.05 or more for which it "
    "has, at R = 200",
    basis=DERIVED,
    source="Lemma 8, first case: exp(-R margin) decides once R times the difference of the margins exceeds the "
    "logarithm of the constants",
)
def dominance(runs: Runs, case: Rays) -> Check:
    run = runs[case.run]
    optimal = (run["neighbor_optimal"].at(LAST_RADIUS) == 1) & _is_clear(run)
    margin, excess, selection = (run[name].at(LAST_RADIUS)[optimal] for name in ("margin", "log_excess", "selection"))
    pairs = (selection[:, None] == selection) & (margin[:, None] >= margin + LEAST_GAP)
    return check((excess[:, None] < excess)[pairs].mean(), at_least(1))
