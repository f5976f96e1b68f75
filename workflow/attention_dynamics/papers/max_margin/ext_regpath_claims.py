"""Claims about Theorem 1: the regularization path turns to the max-margin direction, under any loss.

The steps of these runs are the bounds R on the norm of p.
"""

from attention_dynamics.claims.claim import CHOSEN, DERIVED, claim
from attention_dynamics.claims.expectation import Check, at_most, check, near
from attention_dynamics.papers.max_margin.convergence import angles, late_over_early
from attention_dynamics.run import Run, Runs


@claim(
    statement="theorem-1",
    says="Largest angle to GMM over 50 <= R <= 100 over that over 5 <= R <= 10: twelve paths, on the data of Figs 1a, "
    "1b, 1c and 5, whose optimal tokens are unique, under the logistic, the exponential and the correlation loss",
    basis=CHOSEN,
    source="Theorem 1; the windows are ours",
)
def turns_to_gmm(runs: Runs) -> Check:
    paths = [angles(run["correlation_gmm"]) for run in runs.values()]
    return check([late_over_early(path, (5, 10), (50, 100)) for path in paths], at_most(1))


@claim(
    says="On Fig 5's data with C = 5 the regularization path under the logistic loss leans to the low score as far as "
    "gradient descent does: distance of y from log(C (1 + e) / (1 + e^C)) / 2 at R = 100",
    basis=DERIVED,
    source="on a large circle the risk's derivative along it vanishes where the two inputs pull alike, as in Fig 5",
)
def fig5_logistic(path_5: Run) -> Check:
    return check(path_5["plateau_error"].at(100), near(0, within=0.02))


@claim(
    says="On Fig 5's data with C = 5 the regularization path under the correlation loss leans to the high score: "
    "distance of y from log(C) / 2 at R = 100",
    basis=DERIVED,
    source="on a large circle the risk's derivative along it vanishes where the two inputs pull alike, as in Fig 5",
)
def fig5_correlation(path_5_correlation: Run) -> Check:
    return check(path_5_correlation["plateau_error"].at(100), near(0, within=0.02))
