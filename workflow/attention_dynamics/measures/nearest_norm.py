"""Comparison of a path with the SVMs in several norms (Mirror descent)."""

import numpy as np

from attention_dynamics.measures.bregman import Bregman, exponents_of
from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.types import References


class NearestNorm(Measure, kind="nearest_norm"):
    """1 if, of the SVMs in several norms, the one in the run's norm has the least ``Bregman`` divergence, else 0.

    The series is NaN where one of the divergences is NaN: at the origin, and where an SVM has no solution.

    references: name of an l_q-AttSVM -> its q.
    """

    series = ("own_norm_is_nearest",)

    references: References

    def measure(self, run: Run) -> dict[str, Array]:
        series, norms = Bregman().measure(run), np.array(list(self.references.values()))
        divergences = np.stack([series[f"bregman_{name}"] for name in self.references], axis=-1)
        nearest = norms[divergences.argmin(-1)] == exponents_of(run, "W")
        return {"own_norm_is_nearest": np.where(np.isnan(divergences).any(-1), np.nan, nearest)}
