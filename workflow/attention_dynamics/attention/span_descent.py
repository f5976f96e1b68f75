"""Normalized gradient descent from p(0) = 0 in the span of the keys, for thousands of problems at once."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.problems.problem import Problem
from attention_dynamics.problems.shape import TokenShape
from attention_dynamics.training import NO_CONTEXT, JobContext, Training, require_data, require_fixed_head
from attention_dynamics.types import Count, NonNegative, Positive, Precision

# Memory for the Gram matrices that are processed together, in bytes. No result depends on it, because problems do not
# affect each other.
GRAM_BYTES = 64_000_000


class SpanDescent(Training, kind="span_descent"):
    """Normalized gradient descent of a prompt on the logistic risk from p(0) = 0, for thousands of problems at once.

    Only the first and the last iterate are recorded.
    precision: "stable" for the gradient without cancellation, "float64" or "float32" for the textbook gradient.
    epsilon: added to the gradient's norm in the denominator of a step, as in the published code.
    """

    steps: Count
    step_size: Positive
    precision: Precision = "stable"
    epsilon: NonNegative = 0.0

    def train(self, problem: Problem, context: JobContext = NO_CONTEXT) -> dict[str, NDArray[Any]]:
        # Imported here, because Numba takes a second to import and reading a configuration does not need it.
        from attention_dynamics.attention.gram_training import gram_matrices, train_in_span

        P, n, T, d = problem.keys.shape
        keys, scores = problem.keys, problem.scores()
        prompts = np.zeros((2, P, 1, d))
        problems_at_once = max(1, GRAM_BYTES // (8 * (n * T) ** 2))
        for first in range(0, P, problems_at_once):
            part = slice(first, first + problems_at_once)
            trained = train_in_span(
                gram_matrices(keys[part]), scores[part],
                steps=self.steps, step_size=self.step_size, precision=self.precision, epsilon=self.epsilon,
            )  # fmt: skip
            prompts[1, part, 0] = trained.prompts(keys[part])
        return {"step": np.array([0, self.steps]), "p": prompts}

    @property
    def parameters(self) -> tuple[str, ...]:
        return ("p",)

    def records_step(self, step: float) -> bool:
        return step in (0, self.steps)

    @property
    def record_schedule(self) -> str:
        return f"0 and {self.steps}"

    def check(self, shape: TokenShape) -> None:
        require_data(shape, self.data)
        require_fixed_head(shape)
