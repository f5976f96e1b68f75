"""The engine: any model, any optimizer, all problems and initialisations at once."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from attention_dynamics.training import NumericalFailure
from attention_dynamics.optim.gradient import Moment, ScaledGradient
from attention_dynamics.problems.problem import Array
from attention_dynamics.progress import Progress, log

Step = Callable[[Tensor, ScaledGradient, Moment], Tensor]


class Model(Protocol):
    """What the engine needs of a model.

    Jobs train what is built in with autograd off (``trainers.gradient_descent``): a model, loss or optimizer of this
    library that differentiates automatically turns it on itself, as ``PromptAttention.textbook_gradient`` does.
    """

    def initial(self, start: Mapping[str, Array]) -> dict[str, Tensor]:
        """Parameters, each (problems, starts, ...)."""

    def observe(self, parameters: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """What a trajectory records."""

    def gradient(self, parameters: Mapping[str, Tensor]) -> dict[str, ScaledGradient]:
        """Gradient of the risk in every parameter."""

    def log_gap(self, parameters: Mapping[str, Tensor]) -> Tensor:
        """Logarithm of the risk above its infimum, (problems, starts)."""


def descend(
    model: Model, optimizers: Mapping[str, Step], start: Mapping[str, Array], *, recorded: Sequence[int]
) -> dict[str, NDArray]:
    """Full-batch training; returns the trajectory.

    optimizers: parameter name -> step function, applied to each parameter separately, all from the same iterate.
    start: parameter name -> (starts, m) points, or (problems, starts, m).
    recorded: the iterates to record, in increasing order; training ends with the last of them.
    Returns "step", (records,), and what the model observes, (records, problems, starts, ...), at these iterates.
    Long trainings print how far they are.
    Raises NumericalFailure, naming parameter, step, problem and start, when a recorded iterate is not finite.
    """
    parameters = model.initial(start)
    history = {name: np.empty((len(recorded), *value.shape)) for name, value in model.observe(parameters).items()}
    row, progress = 0, Progress(log, 0, recorded[-1])
    for t in range(recorded[-1] + 1):
        progress.tick(t)
        if t == recorded[row]:
            for name, value in model.observe(parameters).items():
                history[name][row] = value.cpu().numpy()
                if what := _not_finite(name, history[name][row], t):
                    before = {name: values[:row] for name, values in history.items()}
                    raise NumericalFailure(what, {"step": np.array(recorded[:row], dtype=int), **before})
            row += 1
        if t < recorded[-1]:
            gradients = model.gradient(parameters)
            moment = Moment(t, gradients, partial(model.log_gap, parameters))
            parameters = {name: optimizers[name](value, gradients[name], moment) for name, value in parameters.items()}
    return {"step": np.array(recorded), **history}


def _not_finite(name: str, values: NDArray, step: int) -> str:
    finite = np.isfinite(values)
    if finite.all():
        return ""
    problem, start = np.argwhere(~finite)[0][:2]
    return f"{name} is not finite at step {step} (problem {problem}, start {start})"


def reproducible(device: str = "cpu") -> None:
    """The same bits on every run, whatever else the machine does: one thread, and deterministic kernels off the CPU.

    Raises ValueError for a device that is not there.
    """
    torch.set_num_threads(1)
    # On the CPU one thread is enough, and this takes a second to import what it needs.
    if device != "cpu":
        if not torch.cuda.is_available():
            raise ValueError(f"device: torch {torch.__version__} finds no {device} on this machine")
        torch.use_deterministic_algorithms(True)
