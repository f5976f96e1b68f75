"""Whether a path is closest to the SVM in its own norm (Mirror descent)."""

import numpy as np

from attention_dynamics.measures import bregman
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.types import References

SERIES = ("own_norm_is_nearest",)


def measure(run: Run, *, references: References) -> dict[str, Array]:
    """1 where the divergence (``bregman``) is smallest from the SVM in the norm of the run's exponent, else 0.

    NaN where one of the divergences is: at the origin, and where an SVM has no solution.

    references: l_q-AttSVMs by name, with their q.
    """
    series, norms = bregman.measure(run), np.array(list(references.values()))
    divergences = np.stack([series[f"bregman_{name}"] for name in references], axis=-1)
    nearest = norms[divergences.argmin(-1)] == bregman.exponent(run, "p")
    return {"own_norm_is_nearest": np.where(np.isnan(divergences).any(-1), np.nan, nearest)}
