"""Regularization paths: minimisers of the risk under a bound on the norm, as the bound grows (Max-margin eqs. 2, 9).

For planar problems the minimisers are global: a search over the whole disc or cone, not descent from a start.
"""

from collections.abc import Mapping
from itertools import pairwise
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from attention_dynamics.margins.selection import TIE
from attention_dynamics.pipeline import plugins
from attention_dynamics.regularization.planar_objective import AttentionRisk, HeadRisk, best_reachable
from attention_dynamics.regularization.polar_search import Sector, cone, disc, minimise
from attention_dynamics.problems.problem import Array, Problem
from attention_dynamics.attention.initialization import starting_points

# Directions of v to begin with, alternations from each of them, and from the best until v moves less than SETTLED |v|.
HEADS, FIRST_ROUNDS, ROUNDS, SETTLED = 12, 2, 500, 1e-8
COARSE = {"angles": 120, "radii": 12, "basins": 2}
DIRECTIONS = 720
CONE_GRID = {"angles": 61, "radii": 24}


def trace(problem: Problem, spec: Mapping[str, Any]) -> dict[str, NDArray]:
    """The regularization path that a run's block of the configuration asks for.

    spec: loss, the name of one. radii: the bounds R, increasing positive integers.
        cone: None for the global path (Theorem 1), or {half_angle (degrees), radius (R0)} for local ones (Theorem 4,
        eq. 9). start: {"p": points}, the axes q of the cones; {} without a cone.
        head_ratio: None, or r / R, for the joint path of v and p (Theorems 5, 6).
    Returns "step" = [0, *radii]; "p" (records, P, starts, d), and "v" alike for the joint path. Record 0 is the origin,
    for local paths q; starts is 1 but for local paths.
    Raises ValueError for a problem that is not planar, a loss without ``log_excess``, and settings that do not fit.
    """
    _check(problem, spec)
    path = _joint_path if spec["head_ratio"] is not None else _prompt_path
    return {"step": np.array([0, *spec["radii"]]), **path(problem, spec)}


def _prompt_path(problem: Problem, spec: Mapping[str, Any]) -> dict[str, Array]:
    loss, scores, keys = plugins.LOSS.load(spec["loss"]), problem.scores(), problem.keys[..., :2]
    axes = starting_points(spec["start"]["p"]) if spec["cone"] else np.zeros((1, 2))
    path = np.zeros((len(spec["radii"]) + 1, len(keys), len(axes), problem.keys.shape[-1]))
    path[0, ..., : axes.shape[1]] = axes
    for row, R in enumerate(spec["radii"], start=1):
        if spec["cone"]:
            half, radii = np.radians(spec["cone"]["half_angle"]), (spec["cone"]["radius"], R)
            sectors, grid = [cone(q, half, radii) for q in axes], CONE_GRID
        else:
            sectors, grid = [disc(R)], {}
        for k in range(len(keys)):
            path[row, k, :, :2] = [prompt_minimiser(keys[k], scores[k], loss, sector, **grid) for sector in sectors]
    return {"p": path}


def _joint_path(problem: Problem, spec: Mapping[str, Any]) -> dict[str, Array]:
    keys, tokens = problem.keys[..., :2], problem.tokens[..., :2]
    heads, prompts = np.zeros((2, len(spec["radii"]) + 1, len(keys), 1, problem.keys.shape[-1]))
    for row, R in enumerate(spec["radii"], start=1):
        for k in range(len(keys)):
            v, p = joint_minimiser(tokens[k], keys[k], problem.labels[k], spec["head_ratio"] * R, R)
            heads[row, k, 0, :2], prompts[row, k, 0, :2] = v, p
    return {"p": prompts, "v": heads}


def prompt_minimiser(keys: Array, scores: Array, loss: ModuleType, sector: Sector, **grid: int) -> Array:
    """argmin of the risk over a sector, for a fixed head: p, (2,).

    keys: (n, T, 2); scores: (n, T); grid: as for ``minimise``. Differences of the risk are resolved around its value
    at the tokens that can be selected at best: their size is what decides about p when |p| is large.
    """
    selected = best_reachable(keys, scores, loss, sector.directions(DIRECTIONS))
    return minimise(AttentionRisk(keys, scores, loss, selected, sector.radii[1]), sector, **grid)


def joint_minimiser(tokens: Array, keys: Array, labels: Array, r: float, R: float) -> tuple[Array, Array]:
    """argmin of the logistic risk over |v| <= r and |p| <= R: v (2,) and p (2,).

    tokens, keys: (n, T, 2); labels: (n,). The risk hardly depends on p once p is large, far less than rounding of the
    risk shows, so the two are minimised in turn, each globally and on its own scale, until neither moves. That ends
    where neither v nor p alone can do better; the best of several starting directions of v is followed.
    Raises FloatingPointError where they do not settle.
    """
    loss = plugins.LOSS.load("logistic")

    def prompt(v: Array, **grid: int) -> Array:
        return prompt_minimiser(keys, labels[:, None] * (tokens @ v), loss, disc(R), **grid)

    def head_risk(p: Array) -> HeadRisk:
        return HeadRisk((softmax(keys @ p, axis=-1)[..., None] * tokens).sum(-2), labels)

    candidates = []
    for angle in np.linspace(0.0, 2 * np.pi, HEADS, endpoint=False):
        v = r * np.array([np.cos(angle), np.sin(angle)])
        if np.ptp(tokens @ v, axis=-1).max() <= TIE * r * np.abs(tokens).max():
            continue  # every token of every input scores alike: v says nothing about p
        for _ in range(FIRST_ROUNDS):
            risk = head_risk(prompt(v, **COARSE))
            v = minimise(risk, disc(r), **COARSE)
        candidates.append((float(risk.values(v)), v))
    v = min(candidates, key=lambda one: one[0])[1]
    for _ in range(ROUNDS):
        p = prompt(v)
        previous, v = v, minimise(head_risk(p), disc(r), **COARSE)
        if np.linalg.norm(v - previous) <= SETTLED * r:
            return v, p
    raise FloatingPointError(f"v and p did not settle in {ROUNDS} rounds at r = {r:g}, R = {R:g}")


def _check(problem: Problem, spec: Mapping[str, Any]) -> None:
    radii, around, joint = spec["radii"], spec["cone"], spec["head_ratio"] is not None
    if not len(radii) or radii[0] <= 0 or any(later <= one for one, later in pairwise(radii)):
        raise ValueError(f"radii: need increasing positive numbers, got {list(radii)}")
    if not hasattr(plugins.LOSS.load(spec["loss"]), "log_excess"):
        raise ValueError(f"loss: {spec['loss']} defines no log_excess, which regularization paths are computed from")
    if problem.keys[..., 2:].any():
        raise ValueError("problem: regularization paths need planar keys, all but the first two coordinates zero")
    if bool(spec["start"]) != bool(around):
        raise ValueError("start and cone: a local path needs both, any other path neither")
    if around and radii[0] < around["radius"]:
        raise ValueError(f"radii: {radii[0]} is below the cone's radius {around['radius']:g}")
    if joint != (problem.head is None):
        raise ValueError("head_ratio: for problems whose head is trained, and for no other")
    if joint and around:
        raise ValueError("head_ratio: there is no local path of v and p")
    if joint and spec["loss"] != "logistic":
        raise ValueError(f"loss: the joint path is that of the logistic loss, got {spec['loss']}")
    if joint and problem.tokens[..., 2:].any():
        raise ValueError("problem: the joint path needs planar tokens")
