"""Claims about Fig 6: the attention of the [CLS] token goes from dense to sparse.

The unit of every statistic is a seed. We trained a small network in place of ViT-base on CIFAR-10, and every claim
names the images on which it was trained.
"""

import numpy as np

from attention_dynamics.claims.claim import CHOSEN, FULL_SCALES, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check
from attention_dynamics.run import Run
from attention_dynamics.series.confidence import Sample, estimate_geometric_mean
from attention_dynamics.series.statistics import mean, rank_correlation, table

# Data and network at laptop and workstation scale, for the statements of claims.
DATA = "a two-layer ViT, at laptop scale on scikit-learn's digits, with CIFAR-10 on 10,000 of its images"


@claim(
    statement="fig6-dense-at-first",
    says="Share of the tokens that attention is spread over, soft-sparsity / T, before training and after epoch 1, "
    f"the smaller one: mean over the seeds ({DATA})",
    basis=CHOSEN,
    source="Section 4; more than half of the tokens is our reading of 'dense'",
    scales=FULL_SCALES,
)
def dense_at_first(vit: Run) -> Check:
    tokens = vit.series["attention_map"].shape[-1]
    first = np.minimum(*(vit["soft_sparsity"].at(epoch) for epoch in vit.steps[:2])) / tokens
    return check(mean(first, "seed"), at_least(0.5))


@claim(
    statement="fig6-sparser",
    says=f"Spearman's rank correlation of soft-sparsity, which is smaller for a sparser map, and the epoch: mean over "
    f"the seeds ({DATA})",
    basis=CHOSEN,
    source="Section 4; a trend over the epochs is our reading of 'gradually'",
    scales=FULL_SCALES,
)
def gradually_sparser(vit: Run) -> Check:
    return check(mean(rank_correlation(vit["soft_sparsity"]), "seed"), at_most(0))


@claim(
    statement="fig6-sparser",
    says=f"Largest weight of a patch after training over that before: geometric mean over the seeds ({DATA})",
    basis=CHOSEN,
    source="Section 4, 'concentrate on fewer salient patches'; the largest weight is our reading",
    scales=FULL_SCALES,
)
def sharper(vit: Run) -> Check:
    before, after = np.split(table(vit["largest_attention"], [0, vit.last_step]), 2)
    return check(estimate_geometric_mean(Sample.of(after / before, "seed")), at_least(1))
