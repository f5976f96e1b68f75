"""Claims about Fig 5: token composition under Adam, for three learning rates eta = eta_Y = eta_Z.

Claims are about iteration 48, for the seeds of our extension of Fig 4. Adam's other settings are torch's defaults. A
distinct token counts as picked if its share among the distinct tokens of its class is larger than at the start.
"""

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.claims.claim import CHOSEN, FULL_SCALES, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check
from attention_dynamics.papers.scan_and_snap.rate_pairs import at_rates, mean_over_seeds, own_shares_at_rates
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.series.confidence import Sample, estimate_mean
from attention_dynamics.series.statistics import change

Subsets = NDArray[np.bool_]

RATES = (0.1, 0.5, 1)
LAST_STEP = 48
SENTENCE = "Section 8: 'self-attention with different learning rate picks different subsets of distinct tokens'"


@claim(
    statement="fig5-adam",
    says="Jaccard distance of the tokens picked by one seed with two learning rates, mean over the three pairs of "
    "rates, minus that of the tokens picked by two seeds with one rate: mean over classes, for pairs of seeds",
    basis=CHOSEN,
    source=SENTENCE + "; 'different' is read as more than two data sets differ",
    scales=FULL_SCALES,
)
def subsets_differ(adam_seeds: Run) -> Check:
    # A mask (seeds, classes, tokens) for every learning rate.
    picked = [shares[adam_seeds.at(LAST_STEP)] > shares[0] for shares in _shares(adam_seeds)]
    rates = np.mean([_jaccard_distance(one, other) for one, other in combinations(picked, 2)], axis=0)
    seeds = np.mean([_jaccard_distance(one[::2], one[1::2]) for one in picked], axis=0)
    effect = (rates[::2] + rates[1::2]) / 2 - seeds
    return check(estimate_mean(Sample.of(effect.mean(-1), "pair of seeds")), at_least(0))


@claim(
    statement="fig5-adam",
    says="Change of the entropy on distinct tokens from iteration 0 to 48: mean over the learning rates 0.1, 0.5 and 1",
    basis=CHOSEN,
    source=SENTENCE + " 'to focus on', read as sparser than at the start",
    scales=FULL_SCALES,
    explanation="Under Adam attention ends a little more even over the distinct tokens than it starts; which of them "
    "have most of it depends on the learning rate. All distinct tokens together gain, in which sense attention does "
    "focus: the share of the common ones falls from 0.65 to 0.28 or less (seed 2).",
)
def focuses(adam_seeds: Run) -> Check:
    changes = [change(at_rates(adam_seeds, "distinct_entropy", eta_Y=eta, eta_Z=eta), 0, LAST_STEP) for eta in RATES]
    cases = {f"eta = {eta:g}": mean_over_seeds(one, adam_seeds) for eta, one in zip(RATES, changes, strict=True)}
    return check(mean_over_seeds(np.mean(changes, axis=0), adam_seeds), at_most(0), cases)


def _shares(run: Run) -> list[Array]:
    return [own_shares_at_rates(run, eta_Y=eta, eta_Z=eta) for eta in RATES]


def _jaccard_distance(one: Subsets, other: Subsets) -> Array:
    """Return 1 - |intersection| / |union| for pairs of subsets, (...); 0 if both subsets of a pair are empty.

    one, other: masks of the subsets, (..., tokens).
    """
    both, either = (one & other).sum(-1), (one | other).sum(-1)
    return np.where(either, 1 - both / np.maximum(either, 1), 0.0)
