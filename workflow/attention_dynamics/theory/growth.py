"""Closed forms of the theory as a kind of training, which records the times at which measures evaluate them."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.sequences.learning_rates import LearningRatePairs
from attention_dynamics.sequences.problems.vocabulary import Vocabulary
from attention_dynamics.training import NO_CONTEXT, JobContext
from attention_dynamics.types import Count, Positive


class Growth(LearningRatePairs, kind="growth"):
    """Times at which measures evaluate closed forms (``growth_laws``).

    The times are 0 and the ends of ``points`` equal intervals from 0 to ``until``. unit: unit of the times: a training
    step, t0' (``scanning_end``) or t0 (``snapping_start``). t0' and t0 differ between the pairs of learning rates.
    C0: rho_0^4 / K (Scan and snap eq. 13).
    """

    data = "vocabulary"

    until: Count
    points: Count
    unit: Literal["step", "scanning_end", "snapping_start"] = "step"
    C0: Positive = 1.0

    def train(self, problem: Vocabulary, context: JobContext = NO_CONTEXT) -> dict[str, NDArray[Any]]:
        """Return the times: "step", (records,), in the unit ``unit``, and "t" in training steps.

        "t" has the shape (records, 1, pairs of learning rates). The axis of length 1 is that of the problems.
        """
        # Imported here, because reading a configuration does not need scipy.special.
        from attention_dynamics.theory.growth_laws import scanning_end, snapping_start

        # The product is computed before the quotient, so that times that are integers are exact.
        step = np.arange(self.points + 1) * self.until / self.points
        units = {"scanning_end": scanning_end, "snapping_start": snapping_start}
        unit = units[self.unit](self.eta_Y, problem.M, problem.K) if self.unit in units else np.ones(len(self.eta_Y))
        return {"step": step, "t": step[:, None, None] * unit}

    def records_step(self, step: float) -> bool:
        return step <= self.until and step * self.points % self.until == 0

    @property
    def record_schedule(self) -> str:
        return f"0 to {self.until} in {self.points} intervals"
