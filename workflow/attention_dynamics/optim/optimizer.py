"""Base class of the full-batch optimizers."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.optim.gradient import ScaledGradient, StepContext
from attention_dynamics.problems.problem import Array
from attention_dynamics.registry import Component
from attention_dynamics.training import IncompatibleRunError

State = dict[str, NDArray[Any]]


class Optimizer(Component, packages=("optim",)):
    """A rule that moves one parameter against its gradient, in all problems and from all starts at once.

    A setting that is a tuple has one number for each start. Everything that an optimizer remembers between steps is in
    its state: named arrays with the leading axes (problems, starts), so that a state can be stored, and split and
    joined along these axes.
    """

    def init(self, parameter: Array) -> State:
        """Return the state before the first step; {} for an optimizer without memory.

        parameter: (problems, starts, ...).
        """
        return {}

    def update(
        self, gradient: ScaledGradient, state: State, parameter: Array, context: StepContext
    ) -> tuple[Array, State]:
        """Return the new parameter and the new state, of the same shapes as the old ones.

        Unlike in Optax, the result is the parameter itself and not a difference to add to it: mirror descent moves in
        the dual space, and a difference would be rounded twice. No argument is changed in place.
        """
        raise NotImplementedError

    def check_starts(self, starts: int, key: str) -> None:
        """Raise IncompatibleRunError unless every setting that is a tuple has ``starts`` numbers.

        key: the optimizer's key in the run, "optimizer" or "head_optimizer", for the message.
        """
        for name, value in self:
            if isinstance(value, tuple) and len(value) != starts:
                message = f"a list needs one number per start, {starts} in all"
                raise IncompatibleRunError(f"{key}.{name}", message)


def checked_update(
    optimizer: Optimizer, gradient: ScaledGradient, state: State, parameter: Array, context: StepContext
) -> tuple[Array, State]:
    """Return the result of ``optimizer.update``, the new parameter and the new state, after checks.

    Raises TypeError unless the result is a pair whose first entry is an array of the parameter's dtype, not masked.
    Raises ValueError if this array has another shape than the parameter. The new state is not checked.
    """
    result: Any = optimizer.update(gradient, state, parameter, context)
    if not (isinstance(result, tuple) and len(result) == 2):
        returned = f"a tuple of {len(result)}" if isinstance(result, tuple) else type(result).__name__
        raise TypeError(f"update must return two things, the new parameter and the new state; it returned {returned}")
    moved, state = result
    if np.shape(moved) != parameter.shape:
        raise ValueError(f"update returned an array {np.shape(moved)} for a parameter {parameter.shape}")
    masked = np.ma.isMaskedArray(moved)
    if not isinstance(moved, np.ndarray) or masked or moved.dtype != parameter.dtype:
        returned = "a masked array" if masked else str(getattr(moved, "dtype", type(moved).__name__))
        raise TypeError(f"update must return an array of {parameter.dtype} as parameter; it returned {returned}")
    return moved, state
