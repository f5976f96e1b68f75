"""Claims about Figs 9 and 10 for six inputs of eight tokens."""

from attention_dynamics.claims.claim import CHOSEN, DERIVED, FULL_SCALES, PAPER, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, like
from attention_dynamics.claims.published import published
from attention_dynamics.claims.results import Results
from attention_dynamics.claims.statistics import mean, share_above
from attention_dynamics.papers.max_margin.random_problems import (
    HIGH_DIMENSIONS,
    SIGNIFICANCE,
    Share,
    last_values,
    rises,
    shares,
)


@claim(
    "ext_fig9_n6t8",
    says="The saturated share never falls as d grows; its change from one dimension to the next",
    basis=CHOSEN,
    source="Appendix E, Fig 9a, where the red bars fall with d; that each step is a rise is our reading",
    scales=FULL_SCALES,
)
def saturation_rises(random_large: Results) -> Check:
    return check(rises(shares(random_large, "saturated")), at_least(0))


@claim(
    "ext_fig9_n6t8",
    says="At d = 2 less than half of the problems are saturated",
    basis=CHOSEN,
    source="Appendix E, Fig 9a; the threshold is ours",
    scales=FULL_SCALES,
)
def tall_red_bar(random_large: Results) -> Check:
    return check(shares(random_large, "saturated", [2]), at_most(0.5))


@claim(
    "ext_fig9_n6t8",
    says="From d = 10 on at least 99 % are saturated",
    basis=CHOSEN,
    source="Appendix E, Fig 9a; the threshold is ours",
    scales=FULL_SCALES,
)
def all_saturated(random_large: Results) -> Check:
    return check(shares(random_large, "saturated", HIGH_DIMENSIONS), at_least(0.99))


@claim(
    "ext_fig9_n6t8",
    says="The share of GMM does not fall as d grows; its change from one dimension to the next",
    basis=CHOSEN,
    source="Appendix E, Fig 9a; the margin is ours",
    scales=FULL_SCALES,
)
def global_rises(random_large: Results) -> Check:
    return check(rises(shares(random_large, "globally_optimal")), at_least(-0.03))


@claim(
    "ext_fig9_n6t8",
    says="P has the direction of p_mm: mean cosine over the LMM trials, by dimension",
    basis=CHOSEN,
    source="Appendix E (the paper's mean is lost); the threshold is ours",
    scales=FULL_SCALES,
)
def direction(random_large: Results) -> Check:
    cosines = last_values(random_large, "correlation_selected", among="locally_optimal")
    return check(map(mean, cosines), at_least(0.995))


@claim(
    "ext_fig9_n6t8",
    says="The gap is negative in less than 1 % of the problems: share of all trials of all dimensions",
    basis=PAPER,
    source='Appendix E ("less than 1 %"); the paper\'s dimensions are lost',
    scales=FULL_SCALES,
)
def rarely_negative(random_large: Results) -> Check:
    return check(share_above(random_large["negative_gap"].at(random_large.last_step)), at_most(0.01))


@claim(
    "ext_fig9_n6t8",
    says="The same by dimension, d >= 10",
    basis=CHOSEN,
    source="Appendix E; that d = 2 and 5 are left out is our choice",
    scales=FULL_SCALES,
)
def rarely_negative_by_dimension(random_large: Results) -> Check:
    return check(shares(random_large, "negative_gap", HIGH_DIMENSIONS), at_most(0.01))


@claim(
    "ext_fig9_n6t8",
    cases={
        "saturated": Share("Saturated shares", "saturated"),
        "local": Share("Shares of LMM", "locally_optimal"),
        "global": Share("Shares of GMM", "globally_optimal"),
        "negative": Share("Shares of negative gaps", "negative_gap"),
    },
    says="{case.name} are those of an independent sample",
    basis=DERIVED,
    source="independent implementation with other seeds",
    scales=FULL_SCALES,
)
def like_sample(random_large: Results, case: Share) -> Check:
    sample = published(__file__, "ext_fig9_n6t8_sample")
    expected = like(list(sample[case.series]), of=list(sample["trials"]), significance=SIGNIFICANCE)
    return check(shares(random_large, case.series), expected)
