"""Texts for the sources of several claims: derivations, and sentences of the paper.

B is the largest norm of a token, eta a step size, and c the constant of the Polyak step (L - inf L) / (c |grad L|^2).
"""

# From the caption of Fig 2, on Lemma 1, eq. w-norm-org and Theorem 1. Our copy of the text lacks their formulas.
CAPTION = "'closely match with our theoretical results'"
SECTION_5 = (
    "Section 5: '(S)NGD-based training leads to faster convergence for various metrics compared to vanilla (S)GD'"
)

ALIGNED = (
    "where the other tokens of an input have equal scores, -grad L is a sum with positive weights of the matrices "
    "(x_opt - x_t) x_1', whose norm is at most 2 B^2 and whose inner product with W_mm is at least 1"
)
NORM_BELOW = (
    "the steps' inner products with W_mm, at least eta / (2 B^2) each, added up; |W| |W_mm| is at least their sum"
)
PARALLEL_STEPS = "once the direction has settled all steps are parallel, and each has the length eta"
SATURATION = (
    "once W has the direction of W_mm the smallest margin between the optimal token and another is |W| / |W_mm|, and "
    "1 - s_opt of that input is exp(-margin) up to a factor"
)
POLYAK_GAP = (
    "once W has the direction of W_mm the gap is C exp(-|W| / |W_mm|), so that |grad L| is the gap over |W_mm|, a "
    "Polyak step has the length |W_mm| / c, and ln(gap) falls by 1 / c"
)
# Ending of sources that name a number which other code found in the same experiment, on other random data.
INDEPENDENT = "in an independent computation on five other data sets"
