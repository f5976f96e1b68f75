"""Reference direction that each start converges to, and the cone of starts that converge to one reference.

Source: Max-margin Theorem 3.
"""

import numpy as np

from attention_dynamics.measures.correlation import cosine
from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.scaling import euclidean_norm
from attention_dynamics.types import Positive, Probability, ReferenceName


class Limit(Measure, kind="limit"):
    """The reference that each trajectory has reached at every record, and the cone of starts that reach one reference.

    cone: the reference whose cone is measured; radius: the R of eq. (8); converged: a reference counts as reached if
        the cosine of p with it is at least this.
    limit: index, in the alphabetical list of the references for p, of the reference that is reached; -1 if none is.
    cone_angle: half-angle, in degrees, of the widest cone around the reference ``cone`` such that all starts inside the
        cone with |p(0)| >= radius have reached this reference; 180 if all starts with |p(0)| >= radius have reached it.
        (records, problems, 1).
    cone_radius: ``radius`` at every record, (records, problems, 1).
    """

    series = ("limit", "cone_angle", "cone_radius")

    cone: ReferenceName
    radius: Positive
    converged: Probability = 0.99

    def measure(self, run: Run) -> dict[str, Array]:
        """Return the series. Raises ValueError if the reference ``cone`` is not a direction of p."""
        references = prompt_references(run)
        if self.cone not in references:
            raise ValueError(
                f"cone: reference {self.cone!r} is not a direction of p; choose one of {', '.join(references)}"
            )
        p = run.prompt
        cosines = np.stack([cosine(p, run.references[name]["direction"]) for name in references])
        # Cosines are NaN where a reference has no solution for a problem.
        cosines = np.nan_to_num(cosines, nan=-np.inf)
        limit = np.where(cosines.max(0) >= self.converged, cosines.argmax(0), -1)

        towards = cosine(p[:1], run.references[self.cone]["direction"])
        angle = np.degrees(np.arccos(np.clip(towards, -1.0, 1.0)))
        outside = euclidean_norm(p[:1]) >= self.radius
        strays = outside & (limit != references.index(self.cone))
        widest = np.where(strays, angle, 180.0).min(-1, keepdims=True)
        return {"limit": limit.astype(float), "cone_angle": widest, "cone_radius": np.full_like(widest, self.radius)}


def prompt_references(run: Run) -> list[str]:
    """Return the names of the references that are directions of p, in alphabetical order."""
    return sorted(name for name, reference in run.references.items() if reference["parameter"] == "p")
