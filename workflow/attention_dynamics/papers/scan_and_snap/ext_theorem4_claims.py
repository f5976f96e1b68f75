"""Claims about our figure on Theorem 4 and Lemma 9: the two stages of attention, before t0' and after t0.

There are M = 1000 tokens and K = 5 classes. In the run ``stages``, eta_Y = eta_Z = 1, and t goes up to 30 t0'. In the
run ``stages_late``, eta_Y = eta_Z is 0.5, 1 and 5, and t goes up to 1000 t0. The constant C0 of equation 13 is 1/160 in
the run ``stages_of_c0``, and 1 in the others. Steps are times in units of t0 in ``stages_late``, and of t0' in the
others.
"""

import numpy as np

from attention_dynamics.claims.claim import CHOSEN, DERIVED, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, near
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run


@claim(
    statement="lemma-9",
    says="Speed gamma over eta_Y t / K, largest for 0 < t <= t0'; gamma over the late rate, largest from t0 to 1000 t0 "
    "over that at t0",
    basis=DERIVED,
    source="Lemma 9: O(...) with one constant for all t of a stage",
)
def speed_is_bounded(stages: Run, stages_late: Run) -> Check:
    return check([_largest_while_scanning(stages), _largest_over_first(stages_late, "speed_rate")], at_most(1))


@claim(
    statement="theorem-1-b",
    says="Speed gamma over eta_Y t / K, largest for 0 < t <= t0'; gamma over the late rate as printed, without M in "
    "the logarithm, largest from t0 to 1000 t0 over that at t0",
    basis=DERIVED,
    source="Theorem 1 (b): O(...) with one constant for all t of a stage, which may depend on M",
)
def printed_rate(stages: Run, stages_late: Run) -> Check:
    at_start = stages_late["speed"].at(1) / stages_late["late_rate"].at(1)
    found = check([_largest_while_scanning(stages), _largest_over_first(stages_late, "late_rate")], at_most(1))
    return found._replace(remark=f"at t0 gamma is {at_start[0]:.3g} of the printed late rate")


def _largest_while_scanning(run: Run) -> float:
    """Return the largest ratio of the speed gamma to its rate, eta_Y t / K, over 0 < t <= t0'."""
    early = (run.steps > 0) & (run.steps <= 1)
    return float((run.series["speed"][early] / run.series["speed_rate"][early]).max())


def _largest_over_first(run: Run, rate: str) -> float:
    """Return the maximum of r(t) / r(t0) over t0 <= t <= 1000 t0 and all learning rates.

    r is the series "speed" divided by the series named ``rate``.
    """
    ratio = run["speed"].during(1, 1000).values / run[rate].during(1, 1000).values
    return float((ratio / ratio[0]).max())


@claim(
    statement="theorem-4-equation-14",
    says="Relative error of equation 14 against B as printed, of one time over the next that is farther from the "
    "limit: t0' / 40, t0' / 4 and t0' early, 1000, 100 and 10 t0 late",
    basis=CHOSEN,
    source="Theorem 4; that its branches are the leading orders of both stages is our reading",
)
def branches(stages: Run, stages_late: Run) -> Check:
    early, late = _errors(stages, (0.025, 0.25, 1)), _errors(stages_late, (1000, 100, 10))
    return check([(errors[:-1] / errors[1:]).max() for errors in (early, late)], at_most(1))


def _errors(run: Run, steps: tuple[float, ...]) -> Array:
    # The relative errors of equation 14 against B as printed, (steps, learning rates).
    ratios = [run["exponent_rate"].at(step) / run["printed_exponent"].at(step) for step in steps]
    return np.abs(np.array(ratios) - 1)


@claim(
    statement="equations-123-124",
    says="With C0 = 1/160, ln(C0 + 4 Gamma) / 4 minus the integral of equation 123: at t = 0, where the integral is 0, "
    "and the largest and smallest later",
    basis=DERIVED,
    source="equation 124: the two are equal",
    explanation="They differ by ln(C0) / 4, which is 0 only if C0 = 1; Theorem 4 and, through equation 12, the growth "
    "factor have the constant, too.",
)
def printed_integral(stages_of_c0: Run) -> Check:
    gap = _printed_minus_integral(stages_of_c0)
    return check([gap[0], gap[1:].min(), gap[1:].max()], near(0, within=1e-12))


@claim(
    statement="equations-123-124",
    says="With C0 = 1/160, ln(C0 + 4 Gamma) / 4 minus the integral of equation 123: largest minus smallest over t",
    basis=DERIVED,
    source="equation 124, read as an antiderivative",
)
def printed_integral_up_to_a_constant(stages_of_c0: Run) -> Check:
    return check(np.ptp(_printed_minus_integral(stages_of_c0)), near(0, within=1e-12))


def _printed_minus_integral(run: Run) -> Array:
    return np.asarray(run["printed_exponent"].values[:, 0] - run["growth_exponent"].values[:, 0])


@claim(
    statement="theorem-4-scanning",
    says="Largest d ln(chi) / d ln(t) for t <= t0', with C0 = 1 and 1/160",
    basis=CHOSEN,
    source="Theorem 4: '(sub-)linear'; that this is about exp(2 B), the upper bound of equation 12, is our reading",
)
def sublinear(stages: Run, stages_of_c0: Run) -> Check:
    return check([run["local_exponent"].during(0, 1).values.max() for run in (stages, stages_of_c0)], at_most(1))


@claim(
    statement="theorem-4-snapping",
    says="Distance from 1 of d ln(chi) / d ln(ln(M eta_Y t / K)), at 100 t0 over that at 10 t0 and at 1000 t0 over "
    "that at 100 t0, for three learning rates",
    basis=CHOSEN,
    source="Theorem 4, chi = O(ln t); that this is about exp(2 B), and that the power of the logarithm tends to 1, are "
    "our readings",
)
def logarithmic(stages_late: Run) -> Check:
    M, K, eta_Y = stages_late.problem.M, stages_late.problem.K, np.array(stages_late.training.eta_Y)
    distances = []
    for step in (10, 100, 1000):
        t = stages_late["transition_time"].at(step) * step
        distances.append(np.abs(stages_late["local_exponent"].at(step) * np.log(M * eta_Y * t / K) - 1))
    return check(np.divide(distances[1:], distances[:-1]), at_most(1))


@claim(
    says="The speed of attention gamma grows while attention scans, and falls once it snaps: smallest change up to t0' "
    "/ 2, and smallest fall from t0 on, from one time to the next",
    basis=DERIVED,
    source="equation 85: gamma is proportional to x / (M - 1 + e^x) with x = M h, which has one maximum, where (x - 1) "
    "e^x = M - 1; for M = 1000 that is at 0.81 t0'",
)
def one_maximum(stages: Run) -> Check:
    speed, steps = stages["speed"].values[:, 0], stages["speed"].steps
    start = (stages["snapping_start"].at(0) / stages["scanning_end"].at(0)).item()
    return check([np.diff(speed[steps <= 0.5]).min(), -np.diff(speed[steps >= start]).max()], at_least(0))
