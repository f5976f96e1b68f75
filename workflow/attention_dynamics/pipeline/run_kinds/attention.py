"""Runs on tokens: descent of a prompt or of W, and minimisers under a bound on the norm."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field
from typing_extensions import override

from attention_dynamics.block_types import Strict
from attention_dynamics.pipeline import plugins
from attention_dynamics.pipeline.run_kinds.base import Iterated, Loss, Misfit, Run
from attention_dynamics.pipeline.start_forms import OfProblem, Starts, points_given
from attention_dynamics.pipeline.unions import block
from attention_dynamics.problems.problem import Array, Shape
from attention_dynamics.types import Count, Counts, Exponent, NonNegative, Positive, Precision


class GradientDescent(Iterated):
    """A model, a loss, an optimizer, and where training starts.

    start: initial points of every trained parameter, in the problem's first coordinates.
    head_optimizer: for v, where it is trained and differs from ``optimizer``.
    """

    kind: Literal["gradient_descent"]
    model: block(plugins.MODEL)
    loss: Loss
    optimizer: block(plugins.OPTIMIZER)
    head_optimizer: block(plugins.OPTIMIZER) | None = None
    start: Annotated[dict[Literal["p", "v"], Starts], Field(min_length=1)]
    precision: Precision = "stable"

    @override
    def parameters(self) -> list[str]:
        return [*plugins.MODEL.constant(self.model.kind, "PARAMETERS"), *(name for name in self.start if name != "p")]

    @override
    def start_points(self) -> dict[str, Array]:
        return points_given(self.start)

    @override
    def columns(self, shape: Shape) -> int:
        return self._counts()["p"]

    def _counts(self) -> dict[str, int]:
        """How many starts every parameter is given."""
        listed = {name: len(p.of_problem) for name, p in self.start.items() if isinstance(p, OfProblem)}
        return listed | {name: len(points) for name, points in self.start_points().items()}

    @override
    def check(self, shape: Shape) -> None:
        if ("v" in self.start) == shape.fixed_head:
            head = "fixed head: v cannot be started" if shape.fixed_head else "head to be trained: v needs a start"
            raise Misfit("start", f"problem {self.problem} has a {head}")
        if "p" not in self.start:
            raise Misfit("start", "needs the key p")
        for name, points in self.start.items():
            there = shape.starts.get(name, 0)
            if isinstance(points, OfProblem) and max(points.of_problem) >= there:
                what = f"problem {self.problem} provides {there} starts for {name}, counted from 0"
                raise Misfit(f"start.{name}.of_problem", what)
        counts = self._counts()
        if len(set(counts.values())) != 1:
            raise Misfit("start", f"as many starts for every parameter, got {counts}")
        for key in ("optimizer", "head_optimizer"):
            for name, value in getattr(self, key) or ():
                if isinstance(value, list) and len(value) != counts["p"]:
                    raise Misfit(f"{key}.{name}", f"a list has a number for every start, {counts['p']} of them")
        super().check(shape)


class SpanDescent(Run):
    """Normalized gradient descent of a prompt on the logistic risk from p(0) = 0, for thousands of problems at once.

    epsilon: added to the gradient's norm, as published code does. Records the first and the last iterate.
    """

    kind: Literal["span_descent"]
    steps: Count
    step_size: Positive
    precision: Precision = "stable"
    epsilon: NonNegative = 0.0

    @override
    def records(self, step: int) -> bool:
        return step in (0, self.steps)

    @property
    @override
    def recorded(self) -> str:
        return f"0 and {self.steps}"

    @override
    def check(self, shape: Shape) -> None:
        self.refuse_trained_head(shape)
        super().check(shape)


class Cone(Strict):
    """The cone of eq. (9): within ``half_angle`` degrees of an axis, at least ``radius`` from the origin."""

    half_angle: Annotated[float, Field(gt=0, lt=90)]
    radius: Positive


def _growing(radii: list[int]) -> list[int]:
    if sorted(set(radii)) != radii:
        raise ValueError(f"radii grow, got {radii}")
    return radii


class BoundedNorm(Run):
    """Minimisers under a bound on the norm, ``radii``, which take the place of iterations."""

    radii: Annotated[Counts, AfterValidator(_growing)]

    @override
    def records(self, step: int) -> bool:
        return step in (0, *self.radii)

    @property
    @override
    def recorded(self) -> str:
        return ", ".join(map(str, [0, *self.radii]))


class RegularizationPath(BoundedNorm):
    """argmin of the risk over |p| <= R for each of the radii R.

    cone: restrict p to a cone around each start (Max-margin eq. 9).
    head_ratio: minimise over the head too, |v| <= head_ratio R (Max-margin eq. 2).
    """

    kind: Literal["regularization_path"]
    loss: Loss
    start: dict[Literal["p"], Starts] = Field(default_factory=dict)
    cone: Cone | None = None
    head_ratio: Positive | None = None

    @override
    def parameters(self) -> list[str]:
        return ["p", "v"] if self.head_ratio else ["p"]

    @override
    def start_points(self) -> dict[str, Array]:
        return points_given(self.start)

    @override
    def check(self, shape: Shape) -> None:
        if (self.head_ratio is None) != shape.fixed_head:
            head = "fixed head: it has no radius" if shape.fixed_head else "head to be trained: give its ratio"
            raise Misfit("head_ratio", f"problem {self.problem} has a {head}")
        if bool(self.cone) != bool(self.start):
            raise Misfit("start", "a path has starts where it is restricted to cones around them, and only there")
        if any(isinstance(points, OfProblem) for points in self.start.values()):
            raise Misfit("start.p.of_problem", "planar problems provide no starts; give points")
        for points in self.start_points().values():
            if points.shape[1] != 2 or not points.any(1).all():
                raise Misfit("start.p", "the axis of a cone has two coordinates, not both zero")
        if not shape.planar:
            raise Misfit("problem", f"{self.problem} is not planar")
        if self.head_ratio and self.loss != "logistic":
            raise Misfit("loss", f"the joint path is that of the logistic loss, got {self.loss}")
        if self.cone and self.head_ratio:
            raise Misfit("cone", "a joint path cannot be restricted to a cone")
        if self.cone and self.radii[0] < self.cone.radius:
            raise Misfit("radii", f"the cone begins at radius {self.cone.radius:g}, got {self.radii}")
        super().check(shape)


class LpRegularizationPath(BoundedNorm):
    """argmin of the risk over |W|_p <= R, with p the ``exponent`` and R in units of the norm of the l_p-AttSVM."""

    kind: Literal["lp_regularization_path"]
    loss: Loss
    exponent: Exponent

    @override
    def check(self, shape: Shape) -> None:
        self.refuse_trained_head(shape)
        super().check(shape)
