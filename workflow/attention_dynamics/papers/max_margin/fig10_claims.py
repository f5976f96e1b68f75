"""Claims about Fig 10: the distribution of the minimum score gap begins at zero."""

from attention_dynamics.claims.claim import CHOSEN, FULL_SCALES, claim
from attention_dynamics.claims.expectation import Check, at_most, check
from attention_dynamics.papers.max_margin.random_problems import last_values
from attention_dynamics.run import Run

# The width of Fig 9b's bins.
GAP_WIDTH = 0.01


@claim(
    "fig10",
    says="The distribution of the minimum score gap has a sharp transition at zero: share of the saturated problems "
    "with a gap in [-0.01, 0), relative to that in [0, 0.01), in each dimension",
    basis=CHOSEN,
    source="Appendix E: 'the minimal score gap exhibit a sharp transition at zero'; width and ratio, set before the "
    "numbers were seen, are ours; shares below zero are judged by rarely_negative of fig9b",
    scales=FULL_SCALES,
)
def sharp_transition(random_small: Run) -> Check:
    gaps = last_values(random_small, "score_gap", mask="saturated")
    below = [((values >= -GAP_WIDTH) & (values < 0)).sum() for values in gaps]
    above = [((values >= 0) & (values < GAP_WIDTH)).sum() for values in gaps]
    return check([low / high for low, high in zip(below, above, strict=True)], at_most(0.2))
