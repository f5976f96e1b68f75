"""The growth of the decoder's logit in discrete steps and in continuous time (Scan and snap Fig 8, Lemmas 5 to 7)."""

import numpy as np

from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.theory.growth_laws import logit_curves


class LogitGrowth(Measure, kind="logit_growth"):
    """Logits of the decoder for every learning rate eta_Y, (records, 1, rates).

    h_star: h* of discrete steps. h: h of continuous time. scaled_gap: (h* - h) M / eta_Y, from 0 to 2 by Lemma 7.
    """

    series = ("h_star", "h", "scaled_gap")
    data = ("vocabulary",)

    def measure(self, run: Run) -> dict[str, Array]:
        """Return the series. Raises ValueError for records that are not at whole steps."""
        steps = run.steps.astype(int)
        if run.training.unit != "step" or (steps != run.steps).any():
            raise ValueError(
                "logit_growth: h* is defined at whole steps; set unit: step, and points so that times are whole"
            )
        eta_Y, M = np.array(run.training.eta_Y), run.problem.M[0]
        curves = logit_curves(int(steps[-1]), eta_Y, M)
        h_star, h = (values[:, steps].T[:, None] for values in (curves.h_star, curves.h))
        return {"h_star": h_star, "h": h, "scaled_gap": (h_star - h) * M / eta_Y}
