"""Angle between p and p at record 0; zero if a regularization path keeps its direction (Max-margin Theorem 4)."""

import numpy as np

from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.scaling import unit_vectors


class AngleFromStart(Measure, kind="angle_from_start"):
    """Angle in degrees between p at each record and p at record 0, computed without cancellation for small angles."""

    series = ("angle_from_start",)

    def measure(self, run: Run) -> dict[str, Array]:
        """Return the series. Raises ValueError if p is zero at any record."""
        p = run.prompt
        if not p.any(-1).all():
            raise ValueError("angle_from_start needs p to have a direction at every record, but it is zero somewhere")
        unit = unit_vectors(p)
        apart, together = (np.linalg.norm(unit + sign * unit[:1], axis=-1) for sign in (-1, 1))
        return {"angle_from_start": np.degrees(2 * np.arctan2(apart, together))}
