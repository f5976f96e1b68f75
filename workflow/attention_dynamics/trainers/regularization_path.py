"""Constrained minimisers of the risk for growing radii (``attention_dynamics.regularization.regularization_path``)."""

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from attention_dynamics.problems.problem import Problem
from attention_dynamics.regularization.regularization_path import trace
from attention_dynamics.attention.descent import reproducible


def train(problem: Problem, spec: Mapping[str, Any]) -> dict[str, NDArray]:
    """The path at "step" = 0 and every radius, "p" (records, P, starts, d), and "v" where the head is constrained too.

    spec: loss, radii, start, cone, head_ratio; see ``regularization_path.trace``.
    """
    reproducible()
    return trace(problem, spec)
