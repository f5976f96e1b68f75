"""Full-batch training of attention on token sequences by any optimizer."""

from collections import defaultdict
from typing import Annotated, Any, Literal

from annotated_types import MinLen
from numpy.typing import NDArray

from attention_dynamics.attention.descent import descend
from attention_dynamics.attention.initialization import ProvidedStarts, Starts
from attention_dynamics.attention.losses.loss import Loss
from attention_dynamics.attention.models.model import Model
from attention_dynamics.optim.optimizer import Optimizer
from attention_dynamics.problems.problem import Array, Problem
from attention_dynamics.problems.shape import TokenShape
from attention_dynamics.training import NO_CONTEXT, IncompatibleRunError, Iterated, JobContext, require_data
from attention_dynamics.types import Precision


class GradientDescent(Iterated, kind="gradient_descent"):
    """Full-batch training of attention: a model, a loss, an optimizer, and starting points.

    start: parameter name -> starting points. The parameters are p or W and, if the head is trained, v; each needs the
        same number of points. Coordinates that a point does not give are zero.
    head_optimizer: the optimizer of a trained head v, by default ``optimizer``.
    precision: "stable" for the gradient without cancellation, "float64" or "float32" for the textbook gradient.
    allow_divergence: if True, training goes on when all trajectories have diverged; if False, it fails.
    """

    model: Model
    loss: Loss
    optimizer: Optimizer
    head_optimizer: Optimizer | None = None
    start: Annotated[dict[Literal["p", "W", "v"], Starts], MinLen(1)]
    precision: Precision = "stable"
    allow_divergence: bool = False

    def train(self, problem: Problem, context: JobContext = NO_CONTEXT) -> dict[str, NDArray[Any]]:
        model = self.model.bind(problem, self.loss, self.precision)
        optimizers = defaultdict(lambda: self.optimizer, v=self.head_optimizer or self.optimizer)
        start: dict[str, Array] = {name: starts.points(problem.starts.get(name)) for name, starts in self.start.items()}
        return descend(
            model, optimizers, start, record_steps=self.recorded_steps, allow_divergence=self.allow_divergence
        )

    @property
    def parameters(self) -> tuple[str, ...]:
        return (*self.model.parameters, *(name for name in self.start if name == "v"))

    def columns(self, shape: TokenShape) -> int:
        return self.start[self.model.attends].count

    def check(self, shape: TokenShape) -> None:
        require_data(shape, self.data)
        if ("v" in self.start) == shape.fixed_head:
            head = "fixed head: remove v" if shape.fixed_head else "trainable head: add points for v"
            raise IncompatibleRunError("start", f"the problem has a {head}")
        attends = self.model.attends
        if attends not in self.start:
            raise IncompatibleRunError("start", f"the key {attends} is missing")
        if len({"p", "W"} & set(self.start)) > 1:
            raise IncompatibleRunError("start", f"a run of {self.model.kind} starts from {attends} alone")
        for name, starts in self.start.items():
            key, provided = f"start.{name}", shape.starts.get(name, 0)
            if isinstance(starts, ProvidedStarts):
                if max(starts.of_problem) >= provided:
                    message = f"the problem provides {provided} starts for {name}, got index {max(starts.of_problem)}"
                    raise IncompatibleRunError(f"{key}.of_problem", message)
                continue
            dimension = shape.key_dimension if name != "v" and shape.key_dimension else shape.dimension
            coordinates = starts.points().shape[1]
            if coordinates > dimension:
                message = f"points have {coordinates} coordinates, but the problem has {dimension}"
                raise IncompatibleRunError(key, message)
        counts = {name: starts.count for name, starts in self.start.items()}
        if len(set(counts.values())) != 1:
            raise IncompatibleRunError("start", f"needs the same number of starts for every parameter, got {counts}")
        self.optimizer.check_starts(counts[attends], "optimizer")
        if self.head_optimizer:
            self.head_optimizer.check_starts(counts[attends], "head_optimizer")
