"""Base class of the attention models."""

from collections.abc import Mapping
from typing import ClassVar, Literal, Protocol, runtime_checkable

from attention_dynamics.attention.losses.loss import Loss
from attention_dynamics.optim.gradient import ScaledGradient
from attention_dynamics.problems.problem import Array, Problem
from attention_dynamics.registry import Component
from attention_dynamics.types import Precision

Parameters = Mapping[str, Array]


@runtime_checkable
class BoundModel(Protocol):
    """A model bound to a batch of problems and a loss. Arrays have the leading axes (problems, starts)."""

    def initial(self, start: Mapping[str, Array]) -> dict[str, Array]:
        """Return the parameters at step 0. start: parameter name -> points, (starts, m) or (problems, starts, m)."""

    def observe(self, parameters: Parameters) -> dict[str, Array]:
        """Return the quantities to record, name -> (problems, starts, ...)."""

    def gradient(self, parameters: Parameters) -> dict[str, ScaledGradient]:
        """Return the gradient of the risk in each trained parameter, parameter name -> gradient."""

    def log_gap(self, parameters: Parameters) -> Array:
        """Return the logarithm of the risk above its infimum, (problems, starts)."""

    def risk(self, parameters: Parameters) -> Array:
        """Return the empirical risk (Max-margin eq. 1), (problems, starts)."""


class Model(Component, packages=("attention.models",)):
    """An attention model.

    attends: "p" or "W", the parameter whose starting points a run gives. parameters: names of the attention parameters
    that a trajectory records.
    """

    attends: ClassVar[Literal["p", "W"]] = "p"
    parameters: ClassVar[tuple[str, ...]] = ("p",)

    def bind(self, problem: Problem, loss: Loss, precision: Precision = "stable") -> BoundModel:
        """Return this model for a batch of problems and a loss.

        precision: "stable" for the gradient without cancellation in float64; "float64" or "float32" for the textbook
        gradient (Max-margin eq. 15a). Raises ValueError for settings that do not fit the problem.
        """
        raise NotImplementedError
