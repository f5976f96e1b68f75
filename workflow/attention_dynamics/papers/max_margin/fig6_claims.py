"""Claims about Fig 6: the attention of [CLS] goes from dense to sparse."""

from attention_dynamics.claims.claim import CHOSEN, FULL_SCALES, claim
from attention_dynamics.claims.expectation import Check, at_least, check
from attention_dynamics.run import Run
from attention_dynamics.series.statistics import largest_ratio_of_means


@claim(
    "fig6",
    says="Attention concentrates: largest patch weight after training over before",
    basis=CHOSEN,
    source="Section 4: 'the attention map gradually becomes sparser and the attention mechanism begins to concentrate "
    "on fewer salient patches'; the factor is ours",
    scales=FULL_SCALES,
)
def sharper(vit: Run) -> Check:
    return check(largest_ratio_of_means(vit["largest_attention"], [0, vit.last_step]), at_least(2))
