"""Claims about Fig 4: normalized steps select the optimal token in fewer steps than constant ones."""

from attention_dynamics.claims.claim import CHOSEN, PAPER, claim
from attention_dynamics.claims.expectation import Check, at_most, check, near
from attention_dynamics.run import Run
from attention_dynamics.series.statistics import change, first_step_above, largest

# A ratio of steps that is not one.
MAX_RATIO = 0.999


# Fig 4a: softmax probability of the optimal tokens.


@claim(
    "fig4a",
    says="Normalized gradient descent is quicker to select the optimal tokens than a constant step: first step with "
    "softmax probability at least 0.9 and 0.99, relative to that under the constant step",
    basis=PAPER,
    source="Section 4: 'the normalized gradient method achieves a softmax probability of [1] quicker'; 1 itself is "
    "reached in the limit only",
)
def normalized_is_quicker(normalized_step: Run, constant_step: Run) -> Check:
    normalized, constant = normalized_step["softmax_optimal"], constant_step["softmax_optimal"]
    ratios = [first_step_above(normalized, level) / first_step_above(constant, level) for level in (0.9, 0.99)]
    return check(ratios, at_most(MAX_RATIO))


@claim(
    "fig4a",
    says="The largest softmax probability is that of the optimal token at every step: largest difference of the two, "
    "under normalized and under constant steps",
    basis=CHOSEN,
    source="Section 4: 'the evolution of the largest softmax probability', where the published code has the optimal "
    "token's; the tolerance is for rounding",
)
def largest_is_optimal(normalized_step: Run, constant_step: Run) -> Check:
    leads = [largest(run["softmax_selected"] - run["softmax_optimal"]) for run in (normalized_step, constant_step)]
    return check(leads, near(0, within=1e-12))


# Fig 4b: norm of p.


@claim(
    "fig4b",
    says="The norm of p under gradient descent with a constant step levels off: growth over steps 150 to 199, relative "
    "to that over steps 0 to 50",
    basis=CHOSEN,
    source="Section 4: 'visible in Figure 4(b) where blue norm curve levels off'; the threshold is ours, above the "
    "number of an independent run",
)
def levels_off(constant_step: Run) -> Check:
    norm = constant_step["norm_p"]
    return check(change(norm, 150, 199) / change(norm, 0, 50), at_most(0.2))
