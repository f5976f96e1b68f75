"""Regularization paths: minimizers of the risk under a bound on the norm, as the bound grows (Max-margin eqs. 2, 9).

Problems are planar. The minimizers over the prompt p are global, because they are found by a search over the whole
disc or cone, not by descent from a start.
"""

from typing import Annotated, Any, Literal, Self

import numpy as np
import scipy  # Not scipy.special: SciPy loads its submodules on first use, and reading a configuration needs none.
from numpy.typing import NDArray
from pydantic import Field, model_validator

from attention_dynamics.attention.initialization import ProvidedStarts, Starts
from attention_dynamics.attention.losses.logistic import Logistic
from attention_dynamics.attention.losses.loss import Loss
from attention_dynamics.margins.selected_tokens import TIE_TOLERANCE
from attention_dynamics.problems.arrays import takes_arrays
from attention_dynamics.problems.problem import Array, Problem
from attention_dynamics.problems.shape import TokenShape
from attention_dynamics.registry import Frozen
from attention_dynamics.regularization.bounded_norm import BoundedNorm
from attention_dynamics.regularization.planar_objective import AttentionRisk, HeadRisk, best_reachable
from attention_dynamics.regularization.polar_search import Sector, cone, disc, minimize
from attention_dynamics.training import NO_CONTEXT, IncompatibleRunError, JobContext
from attention_dynamics.types import Positive

# The joint path minimizes over p and v in turn; a round is one minimization over each. HEAD_DIRECTIONS: number of
# directions of v to start from. FIRST_ROUNDS: rounds from each direction. MAX_ROUNDS: maximum number of rounds from the
# best v that the first rounds find. TOLERANCE: these rounds end when v moves by at most TOLERANCE * r with |v| <= r.
HEAD_DIRECTIONS, FIRST_ROUNDS, MAX_ROUNDS, TOLERANCE = 12, 2, 500, 1e-8
# Arguments of ``minimize`` for v, and for p in the first rounds of the joint path.
COARSE_GRID = {"angles": 120, "radii": 12, "basins": 2}
# Number of directions of p that are compared by ``best_reachable``.
PROMPT_DIRECTIONS = 720
# Arguments of ``minimize`` for p in a cone.
CONE_GRID = {"angles": 61, "radii": 24}


class Cone(Frozen, frozen=True):
    """The cone of eq. (9): points within ``half_angle`` degrees of an axis and at least ``radius`` from the origin."""

    half_angle: Annotated[float, Field(gt=0, lt=90)]
    radius: Positive


class RegularizationPath(BoundedNorm, kind="regularization_path"):
    """argmin of the risk of planar problems over |p| <= R for each of the radii R (Max-margin Theorem 1).

    start, cone: for local paths, p is restricted to a cone around each start (Theorem 4, eq. 9).
    head_ratio: for the joint path, the risk is minimized over the head v too, with |v| <= head_ratio R (eq. 2, Theorems
        5 and 6).
    """

    start: dict[Literal["p"], Starts] = Field(default_factory=dict)
    cone: Cone | None = None
    head_ratio: Positive | None = None

    @model_validator(mode="after")
    def _settings_agree(self) -> Self:
        if bool(self.cone) != bool(self.start):
            raise ValueError("start: start and cone must be set together")
        for starts in self.start.values():
            if isinstance(starts, ProvidedStarts):
                raise ValueError("start.p.of_problem: planar problems provide no starts; give points")
            points = starts.points()
            if points.shape[1] != 2 or not points.any(1).all():
                raise ValueError("start.p: the axis of a cone has two coordinates, not both zero")
        if self.head_ratio and self.loss.kind != "logistic":
            raise ValueError(f"loss: the joint path needs the logistic loss, got {self.loss.kind}")
        if self.cone and self.head_ratio:
            raise ValueError("cone: a joint path cannot be restricted to a cone")
        if self.cone and self.radii[0] < self.cone.radius:
            raise ValueError(f"radii: the cone begins at radius {self.cone.radius:g}, got {list(self.radii)}")
        return self

    def train(self, problem: Problem, context: JobContext = NO_CONTEXT) -> dict[str, NDArray[Any]]:
        """Return the minimizers of the risk for all radii.

        "step": zero and the radii. "p": (records, problems, starts, d). With ``head_ratio`` also "v", of p's shape.
        Record 0 of p has the axes of the cones (``start``). Without ``cone`` it is zero, and there is one start.
        Raises ValueError for a problem that is not planar, for a head_ratio with a fixed head, and for a trained head
        without head_ratio. Raises FloatingPointError if p and v, minimized in turns, do not converge.
        """
        if problem.keys[..., 2:].any():
            raise ValueError("problem: regularization paths need planar keys, all but the first two coordinates zero")
        if (self.head_ratio is None) != (problem.head is not None):
            raise ValueError("head_ratio: must be set for problems with a trainable head, and only for these")
        path = self._joint_path(problem, self.head_ratio) if self.head_ratio else self._prompt_path(problem)
        return {"step": np.array([0, *self.radii]), **path}

    @property
    def parameters(self) -> tuple[str, ...]:
        return ("p", "v") if self.head_ratio else ("p",)

    def columns(self, shape: TokenShape) -> int:
        return self.start["p"].count if self.start else 1

    def check(self, shape: TokenShape) -> None:
        super().check(shape)
        if (self.head_ratio is None) != shape.fixed_head:
            head = "fixed head: it has no radius" if shape.fixed_head else "head to be trained: give its ratio"
            raise IncompatibleRunError("head_ratio", f"the problem has a {head}")
        if not shape.planar:
            raise IncompatibleRunError("problem", "the problem is not planar")

    def _prompt_path(self, problem: Problem) -> dict[str, Array]:
        scores, keys = problem.scores(), problem.keys[..., :2]
        axes = self.start["p"].points() if self.start else np.zeros((1, 2))
        path = np.zeros((len(self.radii) + 1, len(keys), len(axes), problem.keys.shape[-1]))
        path[0, ..., :2] = axes
        grid = CONE_GRID if self.cone else {}
        for row, R in enumerate(self.radii, start=1):
            sectors = [disc(R)]
            if self.cone:
                sectors = [cone(axis, np.radians(self.cone.half_angle), (self.cone.radius, R)) for axis in axes]
            for k in range(len(keys)):
                points = [prompt_minimizer(keys[k], scores[k], self.loss, sector, **grid) for sector in sectors]
                path[row, k, :, :2] = points
        return {"p": path}

    def _joint_path(self, problem: Problem, head_ratio: float) -> dict[str, Array]:
        if problem.tokens[..., 2:].any():
            raise ValueError("problem: the joint path needs planar tokens")
        keys, tokens = problem.keys[..., :2], problem.tokens[..., :2]
        heads, prompts = np.zeros((2, len(self.radii) + 1, len(keys), 1, problem.keys.shape[-1]))
        for row, R in enumerate(self.radii, start=1):
            for k in range(len(keys)):
                v, p = joint_minimizer(tokens[k], keys[k], problem.labels[k], head_ratio * R, R)
                heads[row, k, 0, :2], prompts[row, k, 0, :2] = v, p
        return {"p": prompts, "v": heads}


@takes_arrays()
def prompt_minimizer(keys: Array, scores: Array, loss: Loss, sector: Sector, **grid: int) -> Array:
    """Return the argmin p, (2,), of the risk over a sector, for a fixed head.

    keys: (n, T, 2); scores: (n, T); grid: arguments of ``minimize``. For large |p| the risk differs from the risk of
    the best selection of tokens by less than rounding, and this difference determines p. The objective is therefore
    ``AttentionRisk`` relative to the best selection in the sector (``best_reachable``).
    """
    selected = best_reachable(keys, scores, loss, sector.directions(PROMPT_DIRECTIONS))
    return minimize(AttentionRisk(keys, scores, loss, selected, sector.radii[1]), sector, **grid)


@takes_arrays()
def joint_minimizer(tokens: Array, keys: Array, labels: Array, r: float, R: float) -> tuple[Array, Array]:
    """Return v (2,) and p (2,) that minimize the logistic risk over |v| <= r and |p| <= R.

    tokens, keys: (n, T, 2); labels: (n,). The risk is minimized over p and over v in turn, each time globally, until v
    moves by at most TOLERANCE * r. Then no change of only v or only p improves the result, up to this tolerance. The
    objective for p is ``AttentionRisk``, because for large |p| the risk changes with p by less than its rounding error.
    The objective for v is ``HeadRisk``. The search begins at several directions of v and continues from the best one.
    Raises FloatingPointError if it does not converge.
    """
    loss = Logistic()

    def prompt(v: Array, **grid: int) -> Array:
        return prompt_minimizer(keys, labels[:, None] * (tokens @ v), loss, disc(R), **grid)

    def head_risk(p: Array) -> HeadRisk:
        return HeadRisk((scipy.special.softmax(keys @ p, axis=-1)[..., None] * tokens).sum(-2), labels)

    candidates = []
    for angle in np.linspace(0.0, 2 * np.pi, HEAD_DIRECTIONS, endpoint=False):
        v = r * np.array([np.cos(angle), np.sin(angle)])
        if np.ptp(tokens @ v, axis=-1).max() <= TIE_TOLERANCE * r * np.abs(tokens).max():
            continue  # all tokens of each input have the same score, so that the risk does not depend on p
        for _ in range(FIRST_ROUNDS):
            risk = head_risk(prompt(v, **COARSE_GRID))
            v = minimize(risk, disc(r), **COARSE_GRID)
        candidates.append((float(risk.values(v)), v))
    v = min(candidates, key=lambda one: one[0])[1]
    for _ in range(MAX_ROUNDS):
        p = prompt(v)
        previous, v = v, minimize(head_risk(p), disc(r), **COARSE_GRID)
        if np.linalg.norm(v - previous) <= TOLERANCE * r:
            return v, p
    raise FloatingPointError(f"v and p did not converge in {MAX_ROUNDS} rounds at r = {r:g}, R = {R:g}")
