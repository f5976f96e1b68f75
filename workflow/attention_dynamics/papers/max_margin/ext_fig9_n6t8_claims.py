"""Claims about Figs 9 and 10 for six inputs of eight tokens: some of those about Fig 9, and a comparison of samples."""

from dataclasses import replace

from attention_dynamics.claims.claim import FULL_SCALES, RECOMPUTED, Claim, Claims, claim
from attention_dynamics.claims.expectation import Check, check, like
from attention_dynamics.claims.published import published
from attention_dynamics.claims.results import Results
from attention_dynamics.papers.max_margin import fig9_claims
from attention_dynamics.papers.max_margin.random_problems import SIGNIFICANCE, Share, shares

RARELY_NEGATIVE = (
    "True from d = 10 on. At d = 2, where one problem in thirteen saturates, about 5 % of these have a negative gap, "
    "at d = 5 about 2 %. The text at hand has lost the paper's n, T and dimensions other than 2; over all dimensions "
    "together the share is below 1 % (rarely_negative_pooled)."
)


def _with_six_inputs(original: Claim, explanation: str = "") -> Claim:
    """Return a claim about Fig 9 as one about ``random_large`` in place of ``random_small``."""

    def check_large(random_large: Results) -> Check:
        return original.function(random_large)

    says = f"With six inputs of eight tokens, {original.says[0].lower()}{original.says[1:]}"
    return replace(original, figure="ext_fig9_n6t8", says=says, function=check_large, explanation=explanation)


as_in_fig9 = Claims(
    _with_six_inputs(one)
    for one in [
        *fig9_claims.saturation_rises,
        *fig9_claims.tall_red_bar,
        *fig9_claims.all_saturated,
        *fig9_claims.global_rises,
        *fig9_claims.direction,
    ]
)
rarely_negative = Claims(_with_six_inputs(one, RARELY_NEGATIVE) for one in fig9_claims.rarely_negative)
rarely_negative_pooled = Claims(_with_six_inputs(one) for one in fig9_claims.rarely_negative_pooled)


@claim(
    "ext_fig9_n6t8",
    cases={
        "saturated": Share("saturated problems", "saturated"),
        "local": Share("problems that end in LMM", "locally_optimal"),
        "global": Share("problems that end in GMM", "globally_optimal"),
        "negative": Share("negative gaps", "negative_gap"),
    },
    says="With six inputs of eight tokens, as many {case.name} as in an independent sample: share in each dimension",
    basis=RECOMPUTED,
    source="independent implementation with other seeds",
    scales=FULL_SCALES,
)
def like_sample(random_large: Results, case: Share) -> Check:
    sample = published(__file__, "ext_fig9_n6t8_sample")
    expected = like(list(sample[case.series]), of=list(sample["trials"]), significance=SIGNIFICANCE)
    return check(shares(random_large, case.series), expected)
