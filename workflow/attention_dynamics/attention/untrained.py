"""No training, for measures that need only a problem and its reference directions."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.problems.problem import Problem
from attention_dynamics.problems.shape import TokenShape
from attention_dynamics.training import NO_CONTEXT, JobContext, Training, require_data


class Untrained(Training, kind="untrained"):
    """No training: p = 0 is the only record."""

    def train(self, problem: Problem, context: JobContext = NO_CONTEXT) -> dict[str, NDArray[Any]]:
        P, _, _, d = problem.keys.shape
        return {"step": np.array([0]), "p": np.zeros((1, P, 1, d))}

    @property
    def parameters(self) -> tuple[str, ...]:
        return ("p",)

    def records_step(self, step: float) -> bool:
        return step == 0

    @property
    def record_schedule(self) -> str:
        return "0"

    def check(self, shape: TokenShape) -> None:
        require_data(shape, self.data)
