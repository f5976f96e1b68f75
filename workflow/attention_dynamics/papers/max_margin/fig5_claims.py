"""Claims about Fig 5: which of two inputs attracts p first, for scores C = 1, ..., 10 and 100 of the first input."""

import numpy as np

from attention_dynamics.claims.claim import CHOSEN, DERIVED, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, near
from attention_dynamics.papers.max_margin.convergence import turning
from attention_dynamics.run import Run
from attention_dynamics.series.statistics import table

SCORES = [*range(1, 11), 100]
# Scores for which y is at its limit after 200 steps under the logistic loss. For C = 100, p is still on the diagonal.
SMALL_SCORES = range(1, 11)
# Bound on the numerical error of y after 200 steps, estimated by a computation in another arithmetic.
NUMERICAL_ERROR = 1e-9


@claim(
    statement="fig5-bias",
    says="Change of y, the coordinate of p towards the token with score C, after 200 steps, from each C of 1 to 10 and "
    "100 to the next: under the correlation loss, and under the logistic loss with the sign turned",
    basis=CHOSEN,
    source="Section 4; data, start and step size of the published code; y is 0 for C = 1, by symmetry; a change counts "
    "beyond the numerical error",
)
def bias_with_score(correlation_loss: Run, logistic_loss: Run) -> Check:
    losses = [[run["transverse"].where(C=C).at(200) for C in SCORES] for run in (correlation_loss, logistic_loss)]
    changes = np.diff(np.squeeze(losses))
    return check(changes * [[1], [-1]], at_least(NUMERICAL_ERROR))


@claim(
    statement="fig5-asymptotic-direction",
    says="Largest angle to p_mm in steps 901 to 1000 over that in steps 101 to 200, for eleven scores C under both "
    "losses; 0 where it is on the ray by symmetry",
    basis=CHOSEN,
    source="Section 4; data, start and step size of the published code; the windows are ours",
)
def converges(correlation_loss: Run, logistic_loss: Run) -> Check:
    return check([turning(run["correlation_gmm"]) for run in (correlation_loss, logistic_loss)], at_most(1))


@claim(
    statement="fig5-reason",
    says="Under the correlation loss y, the second coordinate of p, settles at log(C) / 2: deviation after 200 steps, "
    "for every C",
    basis=DERIVED,
    source="y rests where the two inputs pull alike, C exp(-y) = exp(y); the tolerance is ours",
)
def correlation_plateau(correlation_loss: Run) -> Check:
    return check(correlation_loss["plateau_error"].at(200), near(0, within=0.01))


@claim(
    statement="fig5-reason",
    says="Under the logistic loss y, the second coordinate of p, settles at log(C (1 + e) / (1 + e^C)) / 2: deviation "
    "after 200 steps, for every C up to 10",
    basis=DERIVED,
    source="y rests where the two inputs pull alike, C exp(-y) / (1 + e^C) = exp(y) / (1 + e); the tolerance is ours",
)
def logistic_plateau(logistic_loss: Run) -> Check:
    return check(logistic_loss["plateau_error"].where(C=SMALL_SCORES).at(200), near(0, within=0.01))


@claim(
    statement="fig5-reason",
    says="For C = 100 the logistic loss is still on the diagonal after 200 steps and at its limit after 1000: y, the "
    "second coordinate of p",
    basis=DERIVED,
    source="200 steps of length 0.1 along (1, -1) / sqrt(2), then log(C (1 + e) / (1 + e^C)) / 2; the tolerance is "
    "ours",
)
def logistic_hundred(logistic_loss: Run) -> Check:
    return check(table(logistic_loss["transverse"].where(C=100), [200, 1000]), near([-14.14, -47.04], within=0.02))
