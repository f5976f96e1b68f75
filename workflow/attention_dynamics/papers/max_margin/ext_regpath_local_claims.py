"""Claims about Theorem 4 and Lemmas 8 and 9: paths keep the locally-optimal directions, by margin and neighbors.

``angle_from_start`` is the angle in degrees between p(R) and the axis of its cone; the steps of these runs are the
radii R.
"""

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.claims.claim import CHOSEN, DERIVED, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, equals, near
from attention_dynamics.run import Run
from attention_dynamics.series.statistics import count_above

FIRST_RADIUS, LAST_RADIUS = 100, 200
# The lemmas need a large product of R and a difference of margins: smaller differences need a larger radius.
LEAST_GAP = 0.05


def _directions_left(fan: Run) -> int:
    """Return how many of the 72 directions are left by 0.5° or more."""
    return count_above(fan["angle_from_start"].at(100), 0.5)


@claim(
    "ext_regpath_local",
    says="On Fig 1b's data the local regularization paths around both LMM directions keep them: larger angle at R = "
    "100, in degrees",
    basis=CHOSEN,
    source="Section 2.3: local paths can only converge 'to locally-optimal max-margin directions'; the threshold is "
    "ours",
)
def fig1b_kept(kept_1b: Run) -> Check:
    return check(kept_1b["angle_from_start"].at(100).max(), at_most(0.001))


@claim(
    "ext_regpath_local",
    says="On Fig 1b's data local regularization paths leave every direction that is not LMM: how many of 72 "
    "directions, every 5°, they are 0.5° or more away from at R = 100 (one of the 72 is LMM)",
    basis=CHOSEN,
    source="Theorem 4: the path 'will provably not converge in the direction'; 0.5° is ours, because the direction at "
    "95° is 0.71° from GMM",
)
def fig1b_left(fan_1b: Run) -> Check:
    return check(_directions_left(fan_1b), equals(71))


@claim(
    "ext_regpath_local",
    says="On Fig 8's data the local regularization paths around both LMM directions, GMM and (0, 1), keep them: "
    "larger angle at R = 100, in degrees",
    basis=CHOSEN,
    source="Section 2.3: local paths can only converge 'to locally-optimal max-margin directions'; GMM has two active "
    "constraints of unequal weight, so that its angle falls as 1 / R; the threshold is ours",
)
def fig8_kept(kept_8: Run) -> Check:
    return check(kept_8["angle_from_start"].at(100).max(), at_most(0.2))


@claim(
    "ext_regpath_local",
    says="On Fig 8's data local regularization paths leave every direction that is not LMM: how many of 72 "
    "directions, every 5°, they are 0.5° or more away from at R = 100 (one of the 72 is LMM)",
    basis=CHOSEN,
    source="Theorem 4: the path 'will provably not converge in the direction'; 0.5° is ours, because the direction at "
    "20° is 1.57° from GMM",
)
def fig8_left(fan_8: Run) -> Check:
    return check(_directions_left(fan_8), equals(71))


# The risk along the rays, on the data of both figures.


def _is_clear(run: Run) -> NDArray[np.bool_]:
    """Return which directions have neighbors of one kind, at a distance from selected and other tokens."""
    apart = np.minimum(run["margin"].at(LAST_RADIUS), run["margin_gap"].at(LAST_RADIUS)) > LEAST_GAP
    return apart & (run["neighbor_optimal"].at(LAST_RADIUS) != 0)


@claim(
    "ext_regpath_local",
    says="Along a direction q the risk approaches that of the selected tokens as exp(-R margin): rate from R = 100 to "
    "200 over the margin, smallest and largest over the directions, on the data of Fig 1b and of Fig 8",
    basis=DERIVED,
    source="proof of Lemma 8: the directional neighbors have the softmax probability exp(-R margin), all other "
    "tokens less",
)
def rate(rays_1b: Run, rays_8: Run) -> Check:
    ends = []
    for run in (rays_1b, rays_8):
        clear, fall = _is_clear(run), run["log_excess"].at(FIRST_RADIUS) - run["log_excess"].at(LAST_RADIUS)
        ratio = fall[clear] / (LAST_RADIUS - FIRST_RADIUS) / run["margin"].at(LAST_RADIUS)[clear]
        ends += [ratio.min(), ratio.max()]
    return check(ends, near(1, within=0.03))


@claim(
    "ext_regpath_local",
    says="The risk along a direction ends above that of the selected tokens if all its neighbors score less, and "
    "below if all score more: smallest product of the two signs at R = 200, on the data of Fig 1b and of Fig 8",
    basis=DERIVED,
    source="Lemma 9, and eq. 63 in the proof of Lemma 8: the neighbors' scores decide about the sign of the difference",
)
def side(rays_1b: Run, rays_8: Run) -> Check:
    products = [
        (run["excess_sign"].at(LAST_RADIUS) * run["neighbor_optimal"].at(LAST_RADIUS))[_is_clear(run)]
        for run in (rays_1b, rays_8)
    ]
    return check([one.min() for one in products], equals(1))


@claim(
    "ext_regpath_local",
    says="Of two neighbor-optimal directions that select the same tokens, the one with the larger margin has the "
    "smaller risk far out: share of the pairs with a margin difference of 0.05 or more for which it has, at R "
    "= 200, on the data of Fig 1b and of Fig 8",
    basis=DERIVED,
    source="Lemma 8, first case: exp(-R margin) decides once R times the difference of the margins exceeds the "
    "logarithm of the constants",
)
def dominance(rays_1b: Run, rays_8: Run) -> Check:
    shares = []
    for run in (rays_1b, rays_8):
        optimal = (run["neighbor_optimal"].at(LAST_RADIUS) == 1) & _is_clear(run)
        margin, excess, selection = (
            run[name].at(LAST_RADIUS)[optimal] for name in ("margin", "log_excess", "selection")
        )
        pairs = (selection[:, None] == selection) & (margin[:, None] >= margin + LEAST_GAP)
        shares.append((excess[:, None] < excess)[pairs].mean())
    return check(shares, at_least(1))
