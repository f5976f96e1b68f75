"""Claims about Theorem 4 and Lemmas 8 and 9: local regularization paths keep only locally-optimal directions.

``angle_from_start`` is the angle in degrees between p(R) and the axis of the cone that contains its path. The steps of
these runs are the radii R.
"""

import itertools

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.claims.claim import CHOSEN, DERIVED, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, equals, near
from attention_dynamics.problems.problem import Problem
from attention_dynamics.run import Run
from attention_dynamics.series.statistics import count_above

FIRST_RADIUS, LAST_RADIUS = 100, 200
# Smallest margin, and smallest difference of margins, that claims consider. The lemmas hold if R times the difference
# is large, so smaller differences would need a larger radius.
LEAST_GAP = 0.05


def _in_general_position(problem: Problem) -> bool:
    """Return whether scores and keys are in general position.

    The scores within each input must differ. For each selection of one token per input, the differences between the
    key of the selected token and the other keys of its input, for all inputs together, must be linearly independent.
    Keys are planar, so there can be at most two differences.
    """
    keys, scores = problem.keys[0, ..., :2], problem.scores()[0]
    n, T, _ = keys.shape
    distinct = all(len(np.unique(row)) == T for row in scores)
    for selected in itertools.product(range(T), repeat=n):
        rows = [keys[i, s] - keys[i, t] for i, s in enumerate(selected) for t in range(T) if t != s]
        distinct = distinct and len(rows) <= 2 and np.linalg.matrix_rank(rows) == len(rows)
    return bool(distinct)


@claim(
    statement="theorem-4",
    says="Of 72 directions, every 5°, of which one is LMM: how many are 0.5° or more away from the local path around "
    "them at R = 100, on the data of Fig 1b and of Fig 8; flags that both have distinct scores and keys in general "
    "position",
    basis=CHOSEN,
    source="Theorem 4; 0.5° is ours, because the directions nearest to another LMM are 0.71° and 1.57° from it",
)
def leaves_others(fan_1b: Run, fan_8: Run) -> Check:
    left = [count_above(fan["angle_from_start"].at(100), 0.5) for fan in (fan_1b, fan_8)]
    return check([*left, *(_in_general_position(fan.problem) for fan in (fan_1b, fan_8))], equals([71, 71, 1, 1]))


@claim(
    says="Local regularization paths around LMM directions keep them: largest angle at R = 100, in degrees, over both "
    "on Fig 1b's data, and over GMM and (0, 1) on Fig 8's",
    basis=CHOSEN,
    source="ours: Theorem 4 says where paths cannot converge, not where they do; on Fig 8's data GMM has two active "
    "constraints of unequal weight, so that its angle falls as 1 / R; the thresholds are ours",
)
def kept(kept_1b: Run, kept_8: Run) -> Check:
    return check([run["angle_from_start"].at(100).max() for run in (kept_1b, kept_8)], at_most([0.001, 0.2]))


# Claims about the risk along rays, on the data of Figs 1b and 8.


def _is_clear(run: Run) -> NDArray[np.bool_]:
    """Return a mask, (directions,), of the directions for which Lemmas 8 and 9 determine the sign of the excess risk.

    The neighbors of such a direction must all score more, or all score less, than the selected tokens. The margin, and
    the gap between it and the next larger q'(k_selected - k_t), must exceed LEAST_GAP. Otherwise the radii used here
    are too small for the lemmas.
    """
    apart = np.minimum(run["margin"].at(LAST_RADIUS), run["margin_gap"].at(LAST_RADIUS)) > LEAST_GAP
    return apart & (run["neighbor_optimal"].at(LAST_RADIUS) != 0)


@claim(
    statement="att-svm-selects;lemma-8-margin",
    says="Along a direction q the risk approaches that of the selected tokens as exp(-R margin): rate from R = 100 to "
    "200 over the margin, smallest and largest over the directions, on the data of Fig 1b and of Fig 8, with a margin, "
    f"and a distance of the next margin, of at least {LEAST_GAP:g}",
    basis=DERIVED,
    source="proof of Lemma 8: the directional neighbors have the softmax probability exp(-R margin), all other "
    "tokens less; the radii and the tolerance are ours",
)
def rate(rays_1b: Run, rays_8: Run) -> Check:
    ends = []
    for run in (rays_1b, rays_8):
        clear, fall = _is_clear(run), run["log_excess"].at(FIRST_RADIUS) - run["log_excess"].at(LAST_RADIUS)
        ratio = fall[clear] / (LAST_RADIUS - FIRST_RADIUS) / run["margin"].at(LAST_RADIUS)[clear]
        ends += [ratio.min(), ratio.max()]
    return check(ends, near(1, within=0.03))


@claim(
    statement="lemma-8-neighbor;lemma-9",
    says="The risk along a direction ends above that of the selected tokens if all its neighbors score less, and "
    "below if all score more: smallest product of the two signs at R = 200, on the data of Fig 1b and of Fig 8, over "
    f"directions with a margin, and a distance of the next margin, of at least {LEAST_GAP:g}",
    basis=DERIVED,
    source="Lemma 9, and eq. 63 in the proof of Lemma 8: the neighbors' scores decide about the sign of the "
    "difference; the radius and the least margin are ours",
)
def side(rays_1b: Run, rays_8: Run) -> Check:
    products = [
        (run["excess_sign"].at(LAST_RADIUS) * run["neighbor_optimal"].at(LAST_RADIUS))[_is_clear(run)]
        for run in (rays_1b, rays_8)
    ]
    return check([one.min() for one in products], equals(1))


@claim(
    statement="lemma-8-margin",
    says="Of two neighbor-optimal directions that select the same tokens, the one with the larger margin has the "
    "smaller risk far out: share of the pairs with a margin difference of 0.05 or more for which it has, at R "
    "= 200, on the data of Fig 1b and of Fig 8",
    basis=DERIVED,
    source="Lemma 8, first case: exp(-R margin) decides once R times the difference of the margins exceeds the "
    "logarithm of the constants; the radius and the least difference are ours",
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
