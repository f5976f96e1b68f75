"""Claims about Fig 4: gradient descent selects the optimal token in fewer normalized steps than constant steps."""

from dataclasses import replace

import numpy as np

from attention_dynamics.claims.claim import CHOSEN, DERIVED, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, near
from attention_dynamics.run import Run
from attention_dynamics.series.statistics import change, first_step_above, largest, largest_ratio, rank_correlation

LEVELS = (0.5, 0.9, 0.95, 0.99, 0.995)
QUARTERS = (0, 50, 100, 150, 200)


# Fig 4a: softmax probability of the optimal tokens.


@claim(
    "fig4a",
    statement="fig4a-quicker",
    says="First step with a softmax probability of at least 0.5, 0.9, 0.95, 0.99 and 0.995 under normalized steps of "
    "0.1, minus that under constant steps of 1 (minus infinity where these never get there); length of the constant "
    "run's gradient at step 199 over its largest before",
    basis=CHOSEN,
    source="Section 4; step sizes, data and start of the published code; 1 itself is reached in the limit only, the "
    "levels are ours",
)
def normalized_is_quicker(normalized_step: Run, constant_step: Run) -> Check:
    normalized, constant = normalized_step["softmax_optimal"], constant_step["softmax_optimal"]
    leads = [first_step_above(normalized, level) - first_step_above(constant, level) for level in LEVELS]
    # The lengths of the steps are proportional to the norms of the gradients, because the step size is constant.
    steps = np.linalg.norm(np.diff(constant_step.trajectory["p"][:201, 0, 0], axis=0), axis=-1)
    return check([*leads, steps[199] / steps[:199].max()], at_most([-1] * len(LEVELS) + [1]))


@claim(
    "fig4a",
    says="The largest softmax probability is that of the optimal token at every step: largest difference of the two, "
    "under normalized and under constant steps",
    basis=DERIVED,
    source="Section 4 says 'the largest softmax probability', the published code has the optimal token's; 1e-12 is "
    "for rounding",
)
def largest_is_optimal(normalized_step: Run, constant_step: Run) -> Check:
    leads = [largest(run["softmax_selected"] - run["softmax_optimal"]) for run in (normalized_step, constant_step)]
    return check(leads, near(0, within=1e-12))


@claim(
    "fig4a",
    statement="map-eventually-sparse",
    says="1 - the mean largest softmax probability at step 100 over that at 10, and at 1000 over that at 100: the "
    "larger ratio, under normalized and under constant steps",
    basis=CHOSEN,
    source="Section 4, on the data of Fig 4 with separable tokens; the steps are ours",
)
def becomes_sparse(normalized_step: Run, constant_step: Run) -> Check:
    runs = [run["softmax_selected"] for run in (normalized_step, constant_step)]
    return check([largest_ratio(replace(one, values=1 - one.values), [10, 100, 1000]) for one in runs], at_most(1))


# Fig 4b: norm of p.


@claim(
    "fig4b",
    statement="fig4b-levels-off",
    says="The constant run's norm grows less from quarter to quarter of the 200 drawn steps: growth in each of the "
    "last three over that in the quarter before",
    basis=CHOSEN,
    source="Section 4; a falling growth is our reading of 'levels off' (a bounded norm is none: by Theorem 2 it "
    "diverges)",
)
def levels_off(constant_step: Run) -> Check:
    growth = np.diff([constant_step["norm_p"].at(step) for step in QUARTERS], axis=0)
    return check(growth[1:] / growth[:-1], at_most(1))


@claim(
    "fig4b",
    statement="fig4b-levels-off",
    says="Growth of the norm in steps 150 to 200 under constant steps over that under normalized ones",
    basis=CHOSEN,
    source="Section 4, 'levels off' beside the other curve of the figure; one half is ours",
)
def far_below_normalized(normalized_step: Run, constant_step: Run) -> Check:
    constant, normalized = (change(run["norm_p"], 150, 200) for run in (constant_step, normalized_step))
    return check(constant / normalized, at_most(0.5))


@claim(
    statement="sparsity-with-norm",
    says="Spearman's rank correlation of the norm of p and the mean largest softmax probability over steps 0 to 200, "
    "under normalized and under constant steps",
    basis=CHOSEN,
    source="Section 4; a positive rank correlation is our reading of 'in tandem'",
)
def in_tandem(normalized_step: Run, constant_step: Run) -> Check:
    pairs = [[run[name].during(0, 200) for name in ("softmax_selected", "norm_p")]
             for run in (normalized_step, constant_step)]  # fmt: skip
    return check([rank_correlation(*pair) for pair in pairs], at_least(0))
