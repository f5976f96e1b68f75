"""Claims about Fig 4: normalized steps select the optimal token in fewer steps than constant ones."""

from typing import NamedTuple

from attention_dynamics.claims.claim import CHOSEN, PAPER, RECOMPUTED, claim
from attention_dynamics.claims.expectation import Check, at_most, check, equals, near
from attention_dynamics.claims.results import Results, Runs
from attention_dynamics.claims.statistics import change, first_step_above, largest, slope, table

PROBABILITY_STEPS = [0, 10, 25, 50, 75, 100, 150, 199, 999]
# At step 0 the norm is zero.
NORM_STEPS = PROBABILITY_STEPS[1:]


# A ratio of steps that is not one.
MAX_RATIO = 0.999


class Crossing(NamedTuple):
    """The first step at which a run gives the optimal token at least a probability."""

    run: str
    method: str
    probability: float
    step: int


# Fig 4a: softmax probability of the optimal tokens.


@claim(
    "fig4a",
    says="Normalized gradient descent is quicker to select the optimal tokens than a constant step: first step with "
    "softmax probability at least 0.9 and 0.99, relative to that under the constant step",
    basis=PAPER,
    source="Section 4: 'the normalized gradient method achieves a softmax probability of [1] quicker'; 1 itself is "
    "reached in the limit only",
)
def normalized_is_quicker(normalized_step: Results, constant_step: Results) -> Check:
    normalized, constant = normalized_step["softmax_optimal"], constant_step["softmax_optimal"]
    ratios = [first_step_above(normalized, level) / first_step_above(constant, level) for level in (0.9, 0.99)]
    return check(ratios, at_most(MAX_RATIO))


@claim(
    "fig4a",
    says="The softmax probability under normalized gradient descent is that of an independent run: its value after 0, "
    "10, 25, 50, 75, 100, 150, 199 and 999 steps",
    basis=RECOMPUTED,
    source="independent cancellation-free run",
)
def normalized_probabilities(normalized_step: Results) -> Check:
    expected = [0.1429, 0.4280, 0.8550, 0.9931, 0.9997, 1, 1, 1, 1]
    return check(table(normalized_step["softmax_optimal"], PROBABILITY_STEPS), near(expected, within=0.002))


@claim(
    "fig4a",
    says="The softmax probability under gradient descent with a constant step is that of an independent run: its value "
    "after 0, 10, 25, 50, 75, 100, 150, 199 and 999 steps",
    basis=RECOMPUTED,
    source="independent cancellation-free run",
)
def constant_probabilities(constant_step: Results) -> Check:
    expected = [0.1429, 0.2364, 0.5083, 0.8177, 0.9014, 0.9338, 0.9606, 0.9719, 0.9950]
    return check(table(constant_step["softmax_optimal"], PROBABILITY_STEPS), near(expected, within=0.002))


@claim(
    "fig4a",
    says="The largest softmax probability is that of the optimal token at every step: largest difference of the two, "
    "under normalized and under constant steps",
    basis=CHOSEN,
    source="Section 4: 'the evolution of the largest softmax probability', where the published code has the optimal "
    "token's; the tolerance is for rounding",
)
def largest_is_optimal(normalized_step: Results, constant_step: Results) -> Check:
    leads = [largest(run["softmax_selected"] - run["softmax_optimal"]) for run in (normalized_step, constant_step)]
    return check(leads, near(0, within=1e-12))


@claim(
    "fig4a",
    says="Normalized gradient descent reaches softmax probability 0.9 in the step of an independent run: first step "
    "with at least 0.9",
    basis=RECOMPUTED,
    source="independent cancellation-free run",
)
def normalized_reaches_90(normalized_step: Results) -> Check:
    return check(first_step_above(normalized_step["softmax_optimal"], 0.9), equals(29))


@claim(
    "fig4a",
    says="Gradient descent with a constant step reaches softmax probability 0.9 in the step of an independent run: "
    "first step with at least 0.9",
    basis=RECOMPUTED,
    source="independent cancellation-free run",
)
def constant_reaches_90(constant_step: Results) -> Check:
    return check(first_step_above(constant_step["softmax_optimal"], 0.9), equals(75))


@claim(
    "fig4a",
    cases={
        "normalized_99": Crossing("normalized_step", "normalized gradient descent", 0.99, step=48),
        "constant_99": Crossing("constant_step", "gradient descent with a constant step", 0.99, step=509),
        "normalized_999": Crossing("normalized_step", "normalized gradient descent", 0.999, step=66),
    },
    says="Under {case.method} the softmax probability reaches {case.probability} in the step of an independent run: "
    "first step with at least {case.probability}",
    basis=RECOMPUTED,
    source="independent cancellation-free run",
)
def reaches(runs: Runs, case: Crossing) -> Check:
    return check(first_step_above(runs[case.run]["softmax_optimal"], case.probability), equals(case.step))


@claim(
    "fig4a",
    says="Gradient descent with a constant step does not reach softmax probability 0.999 in 1000 steps: largest value",
    basis=RECOMPUTED,
    source="independent cancellation-free run",
)
def constant_misses_999(constant_step: Results) -> Check:
    return check(largest(constant_step["softmax_optimal"]), at_most(0.999))


# Fig 4b: norm of p.


@claim(
    "fig4b",
    says="The norm of p under normalized gradient descent is that of an independent run: its value after 10, 25, 50, "
    "75, 100, 150, 199 and 999 steps",
    basis=RECOMPUTED,
    source="independent cancellation-free run",
)
def normalized_norms(normalized_step: Results) -> Check:
    expected = [0.999, 2.493, 4.972, 7.451, 9.934, 14.91, 19.79, 99.75]
    return check(table(normalized_step["norm_p"], NORM_STEPS), near(expected, within_percent=1))


@claim(
    "fig4b",
    says="The norm of p under gradient descent with a constant step is that of an independent run: its value after 10, "
    "25, 50, 75, 100, 150, 199 and 999 steps",
    basis=RECOMPUTED,
    source="independent cancellation-free run",
)
def constant_norms(constant_step: Results) -> Check:
    expected = [0.403, 1.224, 2.287, 2.824, 3.156, 3.578, 3.850, 5.239]
    return check(table(constant_step["norm_p"], NORM_STEPS), near(expected, within_percent=1))


@claim(
    "fig4b",
    says="The norm of p grows linearly under normalized gradient descent: slope per step over the first 200",
    basis=RECOMPUTED,
    source="independent cancellation-free run",
)
def linear(normalized_step: Results) -> Check:
    return check(slope(normalized_step["norm_p"].during(0, 200)), near(0.0994, within_percent=2))


@claim(
    "fig4b",
    says="The norm of p under gradient descent with a constant step levels off: growth over steps 150 to 199, relative "
    "to that over steps 0 to 50",
    basis=CHOSEN,
    source="Section 4: 'visible in Figure 4(b) where blue norm curve levels off'; the threshold is ours, above the "
    "number of an independent run",
)
def levels_off(constant_step: Results) -> Check:
    norm = constant_step["norm_p"]
    return check(change(norm, 150, 199) / change(norm, 0, 50), at_most(0.2))
