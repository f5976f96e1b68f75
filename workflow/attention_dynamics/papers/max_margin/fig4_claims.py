"""Claims about Fig 4: normalized steps select the optimal token in fewer steps than constant ones."""

from typing import NamedTuple

from attention_dynamics.claims.claim import CHOSEN, DERIVED, claim
from attention_dynamics.claims.expectation import Check, at_most, check, equals, near
from attention_dynamics.claims.results import Results, Runs
from attention_dynamics.claims.statistics import change, first_step_above, largest, slope, table

PROBABILITY_STEPS = [0, 10, 25, 50, 75, 100, 150, 199, 999]
# At step 0 the norm is zero.
NORM_STEPS = PROBABILITY_STEPS[1:]


class Crossing(NamedTuple):
    """The first step at which a run gives the optimal token at least a probability."""

    run: str
    method: str
    probability: float
    step: int


# Fig 4a: softmax probability of the optimal tokens.


@claim(
    "fig4a",
    says="Probability under normalized GD after 0, 10, 25, 50, 75, 100, 150, 199 and 999 steps",
    basis=DERIVED,
    source="independent cancellation-free run",
)
def normalized_probabilities(normalized_step: Results) -> Check:
    expected = [0.1429, 0.4280, 0.8550, 0.9931, 0.9997, 1, 1, 1, 1]
    return check(table(normalized_step["softmax_optimal"], PROBABILITY_STEPS), near(expected, within=0.002))


@claim(
    "fig4a",
    says="Probability under GD with a constant step, at the same steps",
    basis=DERIVED,
    source="independent cancellation-free run",
)
def constant_probabilities(constant_step: Results) -> Check:
    expected = [0.1429, 0.2364, 0.5083, 0.8177, 0.9014, 0.9338, 0.9606, 0.9719, 0.9950]
    return check(table(constant_step["softmax_optimal"], PROBABILITY_STEPS), near(expected, within=0.002))


@claim(
    "fig4a",
    says="The largest softmax probability is that of the optimal token at every step, up to rounding",
    basis=DERIVED,
    source="Section 4 describes Fig 4a as the largest probability; that it is the optimal token's is computed",
)
def largest_is_optimal(normalized_step: Results) -> Check:
    lead = normalized_step["softmax_selected"] - normalized_step["softmax_optimal"]
    return check(largest(lead), near(0, within=1e-12))


@claim(
    "fig4a",
    says="Normalized GD reaches probability 1 quicker; first step with at least 0.9",
    basis=DERIVED,
    source="Section 4, Fig 4a; step from an independent cancellation-free run",
)
def normalized_reaches_90(normalized_step: Results) -> Check:
    return check(first_step_above(normalized_step["softmax_optimal"], 0.9), equals(29))


@claim(
    "fig4a",
    says="First step with at least 0.9 under GD",
    basis=DERIVED,
    source="Section 4, Fig 4a; step from an independent cancellation-free run",
)
def constant_reaches_90(constant_step: Results) -> Check:
    return check(first_step_above(constant_step["softmax_optimal"], 0.9), equals(75))


@claim(
    "fig4a",
    cases={
        "normalized_99": Crossing("normalized_step", "normalized GD", 0.99, step=48),
        "constant_99": Crossing("constant_step", "GD", 0.99, step=509),
        "normalized_999": Crossing("normalized_step", "normalized GD", 0.999, step=66),
    },
    says="First step with at least {case.probability} under {case.method}",
    basis=DERIVED,
    source="independent cancellation-free run",
)
def reaches(runs: Runs, case: Crossing) -> Check:
    return check(first_step_above(runs[case.run]["softmax_optimal"], case.probability), equals(case.step))


@claim(
    "fig4a",
    says="GD does not reach 0.999 in 1000 steps; its probability at the end",
    basis=DERIVED,
    source="independent cancellation-free run",
)
def constant_misses_999(constant_step: Results) -> Check:
    return check(largest(constant_step["softmax_optimal"]), at_most(0.999))


# Fig 4b: norm of p.


@claim(
    "fig4b",
    says="Norm under normalized GD after 10, 25, 50, 75, 100, 150, 199 and 999 steps",
    basis=DERIVED,
    source="independent cancellation-free run",
)
def normalized_norms(normalized_step: Results) -> Check:
    expected = [0.999, 2.493, 4.972, 7.451, 9.934, 14.91, 19.79, 99.75]
    return check(table(normalized_step["norm_p"], NORM_STEPS), near(expected, within_percent=1))


@claim(
    "fig4b",
    says="Norm under GD with a constant step, at the same steps",
    basis=DERIVED,
    source="independent cancellation-free run",
)
def constant_norms(constant_step: Results) -> Check:
    expected = [0.403, 1.224, 2.287, 2.824, 3.156, 3.578, 3.850, 5.239]
    return check(table(constant_step["norm_p"], NORM_STEPS), near(expected, within_percent=1))


@claim(
    "fig4b",
    says="The norm grows linearly under normalized GD; slope per step",
    basis=DERIVED,
    source="independent cancellation-free run",
)
def linear(normalized_step: Results) -> Check:
    return check(slope(normalized_step["norm_p"].during(0, 200)), near(0.0994, within_percent=2))


@claim(
    "fig4b",
    says="The norm under GD levels off; growth over steps 150 to 199, relative to steps 0 to 50",
    basis=CHOSEN,
    source="Section 4, Fig 4b; threshold from an independent cancellation-free run",
)
def levels_off(constant_step: Results) -> Check:
    norm = constant_step["norm_p"]
    return check(change(norm, 150, 199) / change(norm, 0, 50), at_most(0.2))
