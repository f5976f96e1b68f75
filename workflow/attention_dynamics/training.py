"""The engine: any model, any optimizer, all problems and initialisations at once."""

from collections.abc import Callable, Mapping
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from attention_dynamics.optim.gradient import ScaledGradient
from attention_dynamics.problems.problem import Array

Step = Callable[[Tensor, ScaledGradient], Tensor]


class Model(Protocol):
    """What the engine needs of a model."""

    def initial(self, start: Mapping[str, Array]) -> dict[str, Tensor]:
        """Parameters, each (problems, starts, ...)."""

    def observe(self, parameters: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """What a trajectory records."""

    def gradient(self, parameters: Mapping[str, Tensor]) -> dict[str, ScaledGradient]:
        """Gradient of the risk in every parameter."""


def descend(
    model: Model, optimizers: Mapping[str, Step], start: Mapping[str, Array], *, steps: int, record_every: int = 1
) -> dict[str, NDArray]:
    """Full-batch training; returns the trajectory.

    optimizers: parameter name -> step function, applied to each parameter separately, all from the same iterate.
    start: parameter name -> (starts, m) points.
    Returns "step", (records,), and what the model observes, (records, problems, starts, ...): at iterates 0,
    record_every, ..., and always the last one.
    Raises FloatingPointError, naming parameter, step, problem and start, when a recorded iterate is not finite.
    """
    parameters = model.initial(start)
    recorded = sorted({*range(0, steps + 1, record_every), steps})
    history = {name: np.empty((len(recorded), *value.shape)) for name, value in model.observe(parameters).items()}
    row = 0
    for t in range(steps + 1):
        if t == recorded[row]:
            for name, value in model.observe(parameters).items():
                history[name][row] = value.cpu().numpy()
                _check_finite(name, history[name][row], t)
            row += 1
        if t < steps:
            gradients = model.gradient(parameters)
            parameters = {name: optimizers[name](value, gradients[name]) for name, value in parameters.items()}
    return {"step": np.array(recorded), **history}


def _check_finite(name: str, values: NDArray, step: int) -> None:
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        problem, start = bad[0][:2]
        raise FloatingPointError(f"{name} is not finite at step {step} (problem {problem}, start {start})")


def single_threaded() -> None:
    """One thread, deterministic kernels: the same bits on every run, whatever else the machine does."""
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
