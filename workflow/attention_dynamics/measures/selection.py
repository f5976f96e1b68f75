"""Tokens that training selects in the end, and whether they are optimal (Max-margin Figs 9 and 10)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.margins.selected_tokens import mean_largest_probability, token_logits
from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.types import OwnReferenceName


class Selection(Measure, kind="selection"):
    """Properties of the tokens that training selects, for runs with one start, (records, problems, 1).

    reference: the run's ATT-SVM of the selected tokens.
    saturated: 1 if the mean over the inputs of the largest softmax probability is at least the run's ``saturated``,
        else 0.

    The other series are NaN before the last record. A condition is 1 if it is true, else 0.
    feasible: the problem is saturated and its selected tokens can be separated from the others.
    score_gap: Gamma_min, the smallest gamma_selected - gamma_t over inputs and SVM-neighbors t; NaN unless feasible.
    negative_gap: score_gap < 0. locally_optimal: score_gap > 0 (Definition 2).
    globally_optimal: the problem is saturated and every selected token is the optimal one.
    svm_gap, svm_residual: absolute relative duality gap and KKT residual of ATT-SVM.
    """

    series = (
        "saturated", "feasible", "locally_optimal", "globally_optimal", "negative_gap", "score_gap", "svm_gap",
        "svm_residual",
    )  # fmt: skip

    reference: OwnReferenceName

    def measure(self, run: Run) -> dict[str, Array]:
        solved = run.references[self.reference]
        largest = mean_largest_probability(token_logits(run.problem, run.prompt[:, :, 0]))
        saturated = largest >= run.saturated
        selected_optimal = (solved["selected"] == run.problem.optimal).all(-1)
        gap = solved["score_gap"]
        last = {
            "feasible": solved["feasible"],
            "locally_optimal": gap > 0,
            "globally_optimal": saturated[-1] & selected_optimal,
            "negative_gap": gap < 0,
            "score_gap": gap,
            "svm_gap": np.abs(solved["gap"]),
            "svm_residual": solved["residual"],
        }
        records = len(largest)
        return {"saturated": saturated[..., None].astype(float)} | {
            name: _at_the_end(values, records) for name, values in last.items()
        }


def _at_the_end(values: NDArray[Any], records: int) -> Array:
    """Return a series, (records, problems, 1), with ``values``, (problems,), at the last record and NaN before."""
    series = np.full((records, len(values), 1), np.nan)
    series[-1, :, 0] = values
    return series
