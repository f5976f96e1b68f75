"""Claims about Theorem 1: the regularization path turns to the max-margin direction, under any loss.

The steps of these runs are the radii R of the bounds on the norm of p.
"""

from typing import NamedTuple

from attention_dynamics.claims.claim import DERIVED, claim
from attention_dynamics.claims.expectation import Check, at_least, check, near
from attention_dynamics.claims.results import Results, Runs
from attention_dynamics.claims.statistics import table

RADII = [1, 2, 5, 10, 20, 30]
HAS_TURNED = at_least(0.999)


class Path(NamedTuple):
    """A regularization path under the logistic loss: its run, its data, and its cosines with GMM at RADII.

    within: the tolerance. remark: what else the claim says.
    """

    run: str
    data: str
    cosines: list[float]
    within: float
    remark: str = ""


@claim(
    "ext_regpath",
    says="Fig 1a data, logistic loss: the path has turned to the GMM direction, cosine at R = 30",
    basis=DERIVED,
    source="Theorem 1; the threshold is that of an independent grid search",
)
def fig1a_direction(path_1a: Results) -> Check:
    return check(path_1a["correlation_gmm"].at(30), HAS_TURNED)


@claim(
    "ext_regpath",
    says="The same on Fig 1b data",
    basis=DERIVED,
    source="Theorem 1; the threshold is that of an independent grid search",
)
def fig1b_direction(path_1b: Results) -> Check:
    return check(path_1b["correlation_gmm"].at(30), HAS_TURNED)


@claim(
    "ext_regpath",
    says="The same on Fig 1c data",
    basis=DERIVED,
    source="Theorem 1; the threshold is that of an independent grid search",
)
def fig1c_direction(path_1c: Results) -> Check:
    return check(path_1c["correlation_gmm"].at(30), HAS_TURNED)


@claim(
    "ext_regpath",
    cases=["exponential", "correlation"],
    says="Fig 1c data, {case} loss: cosine at R = 30",
    basis=DERIVED,
    source="Theorem 1, which holds for any loss of Assumption A",
)
def fig1c_loss(runs: Runs, case: str) -> Check:
    return check(runs[f"path_1c_{case}"]["correlation_gmm"].at(30), HAS_TURNED)


@claim(
    "ext_regpath",
    cases={
        "fig1a": Path("path_1a", "Fig 1a data", [0.9369, 0.9568, 0.9825, 0.9941, 0.9988, 0.9997], within=1e-4),
        "fig1b": Path("path_1b", "Fig 1b data", [0.9695, 0.9999, 0.9991, 0.9996, 0.9999, 1.0000], within=1e-4),
        "fig1c": Path(
            "path_1c", "Fig 1c data", [0.956, 0.975, 0.993, 0.9989, 1.0000, 0.9998], within=5e-4,
            remark="; the constraints are nearly degenerate, it is not monotone",
        ),
    },
    says="{case.data}, logistic loss: cosine at R = 1, 2, 5, 10, 20, 30{case.remark}",
    basis=DERIVED,
    source="independent grid search",
)  # fmt: skip
def cosines(runs: Runs, case: Path) -> Check:
    return check(table(runs[case.run]["correlation_gmm"], RADII), near(case.cosines, within=case.within))


@claim(
    "ext_regpath",
    says="Fig 5 data, C = 5, logistic loss: the path leans to the low score as far as gradient descent does; its "
    "distance from that y at R = 100",
    basis=DERIVED,
    source="on a large circle the same two contributions balance as in Fig 5, log(C (1 + e) / (1 + e^C)) / 2",
)
def fig5_logistic(path_5: Results) -> Check:
    return check(path_5["plateau_error"].at(100), near(0, within=0.02))


@claim(
    "ext_regpath",
    says="Fig 5 data, C = 5, correlation loss: it leans to the high score instead; distance from log(C)/2 at R = 100",
    basis=DERIVED,
    source="the same balance under the correlation loss",
)
def fig5_correlation(path_5_correlation: Results) -> Check:
    return check(path_5_correlation["plateau_error"].at(100), near(0, within=0.02))


@claim(
    "ext_regpath",
    says="The bound is active: norm of the minimiser at R = 1, 10, 100 (Fig 1c data)",
    basis=DERIVED,
    source="the risk has no finite minimiser",
)
def on_the_sphere(path_1c: Results) -> Check:
    return check(table(path_1c["norm_p"], [1, 10, 100]), near([1, 10, 100], within=1e-9))
