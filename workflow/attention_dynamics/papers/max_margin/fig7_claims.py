"""Claims about Fig 7: attention becomes sparse while the key-query matrix grows."""

from attention_dynamics.claims.claim import CHOSEN, FULL_SCALES, PAPER, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check
from attention_dynamics.claims.results import Results
from attention_dynamics.claims.statistics import largest_ratio, rank_correlation


@claim(
    "fig7",
    says="Soft-sparsity falls: at the end, as a share of what it is before training",
    basis=CHOSEN,
    source="Section 4.3, in words; the threshold is ours",
    scales=FULL_SCALES,
)
def sparser(vit: Results) -> Check:
    return check(largest_ratio(vit["soft_sparsity"], [0, vit.last_step]).max(), at_most(0.7))


@claim(
    "fig7",
    says="The norm of the combined key-query matrix grows: Spearman's rank correlation with the epoch",
    basis=CHOSEN,
    source="Section 4.3, in words; the threshold is ours",
    scales=FULL_SCALES,
)
def norm_grows(vit: Results) -> Check:
    return check(rank_correlation(vit["key_query_norm"]), at_least(0.9))


@claim(
    "fig7",
    says="The two go opposite ways: Spearman's rank correlation of soft-sparsity and norm",
    basis=PAPER,
    source="Section 4.3, in words",
    scales=FULL_SCALES,
)
def anti_correlated(vit: Results) -> Check:
    return check(rank_correlation(vit["soft_sparsity"], vit["key_query_norm"]), at_most(0))


@claim(
    "fig7",
    says="The network learns: test accuracy at the end",
    basis=CHOSEN,
    source="chosen for the stand-in",
    scales=["laptop"],
)
def learns(vit: Results) -> Check:
    return check(vit["test_accuracy"].at(vit.last_step), at_least(0.8))
