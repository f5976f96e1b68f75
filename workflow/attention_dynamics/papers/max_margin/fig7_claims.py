"""Claims about Fig 7: attention becomes sparse while the key-query matrix grows."""

from attention_dynamics.claims.claim import CHOSEN, FULL_SCALES, PAPER, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check
from attention_dynamics.run import Run
from attention_dynamics.series.statistics import largest_ratio, rank_correlation


@claim(
    "fig7",
    says="The attention map becomes sparser: soft-sparsity 1 / |s|^2 at the end, relative to that before training",
    basis=CHOSEN,
    source="Section 4: 'a smaller value indicates a sparser vector', 'the progressive sparsification of the attention "
    "map'; the threshold is ours",
    scales=FULL_SCALES,
)
def sparser(vit: Run) -> Check:
    return check(largest_ratio(vit["soft_sparsity"], [0, vit.last_step]).max(), at_most(0.7))


@claim(
    "fig7",
    says="The Frobenius norm of the combined key-query matrix grows: Spearman's rank correlation with the epoch",
    basis=CHOSEN,
    source="Section 4: 'the growth of attention weights'; the threshold is ours",
    scales=FULL_SCALES,
)
def norm_grows(vit: Run) -> Check:
    return check(rank_correlation(vit["key_query_norm"]), at_least(0.9))


@claim(
    "fig7",
    says="Soft-sparsity falls as the norm of the key-query matrix grows: Spearman's rank correlation of the two, for "
    "each seed",
    basis=PAPER,
    source="Section 4: 'the increase in sparsity is associated with the growth of attention weights'",
    scales=FULL_SCALES,
)
def anti_correlated(vit: Run) -> Check:
    return check(rank_correlation(vit["soft_sparsity"], vit["key_query_norm"]), at_most(0))
