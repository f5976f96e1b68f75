"""Claims about Fig 7: attention becomes sparse while the norm of the key-query matrix grows.

The unit of every statistic is a seed.
"""

import numpy as np

from attention_dynamics.claims.claim import CHOSEN, FULL_SCALES, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check
from attention_dynamics.papers.max_margin.fig6_claims import DATA
from attention_dynamics.run import Run
from attention_dynamics.series.confidence import Sample, estimate_geometric_mean
from attention_dynamics.series.statistics import mean, rank_correlation, table


@claim(
    statement="fig7-sparser-with-norm;sparsity-with-norm",
    says=f"Spearman's rank correlation of soft-sparsity, which is smaller for a sparser map, and the norm of the "
    f"key-query matrix over the epochs: mean over the seeds ({DATA})",
    basis=CHOSEN,
    source="Section 4; a negative rank correlation is our reading of 'sparsification as [the norm] grows'",
    scales=FULL_SCALES,
)
def anti_correlated(vit: Run) -> Check:
    return check(mean(rank_correlation(vit["soft_sparsity"], vit["key_query_norm"]), "seed"), at_most(0))


@claim(
    statement="fig7-sparser-with-norm",
    says=f"Soft-sparsity 1 / |s|^2 after training over that before: geometric mean over the seeds ({DATA})",
    basis=CHOSEN,
    source="Section 4: 'a smaller value indicates a sparser vector'",
    scales=FULL_SCALES,
)
def sparser(vit: Run) -> Check:
    before, after = np.split(table(vit["soft_sparsity"], [0, vit.last_step]), 2)
    return check(estimate_geometric_mean(Sample.of(after / before, "seed")), at_most(1))


@claim(
    statement="fig7-sparser-with-norm",
    says=f"Spearman's rank correlation of the norm of the combined key-query matrix and the epoch: mean over the seeds "
    f"({DATA})",
    basis=CHOSEN,
    source="Section 4: 'the growth of attention weights'",
    scales=FULL_SCALES,
)
def norm_grows(vit: Run) -> Check:
    return check(mean(rank_correlation(vit["key_query_norm"]), "seed"), at_least(0))
