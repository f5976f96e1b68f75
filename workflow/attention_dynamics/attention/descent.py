"""Full-batch training: any model, any optimizer, all problems and starts at once."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from attention_dynamics.attention.models.model import BoundModel
from attention_dynamics.optim.gradient import StepContext
from attention_dynamics.optim.optimizer import Optimizer
from attention_dynamics.problems.problem import Array
from attention_dynamics.progress import Progress, log
from attention_dynamics.training import NumericalFailure


def descend(
    model: BoundModel, optimizers: Mapping[str, Optimizer], start: Mapping[str, Array], *, recorded: Sequence[int]
) -> dict[str, NDArray[Any]]:
    """Train on the full batch and return the trajectory.

    optimizers: parameter name -> optimizer, each of which moves its parameter from the same iterate.
    start: parameter name -> (starts, m) points, or (problems, starts, m).
    recorded: the iterates to record, in increasing order; training ends with the last of them.
    Returns "step", (records,), and what the model observes, (records, problems, starts, ...), at these iterates.
    Long trainings print how far they are.
    Raises NumericalFailure, naming parameter, step, problem and start, when a recorded iterate is not finite.
    """
    # One thread, so that products have the same bits whatever else the machine does; setting it takes 1 ms. Overflow is
    # found where it is recorded.
    with threadpool_limits(1, "blas"), np.errstate(all="ignore"):
        return _descend(model, optimizers, start, recorded)


def _descend(
    model: BoundModel, optimizers: Mapping[str, Optimizer], start: Mapping[str, Array], recorded: Sequence[int]
) -> dict[str, NDArray[Any]]:
    parameters = model.initial(start)
    states = {name: optimizers[name].init(value) for name, value in parameters.items()}
    history = {name: np.empty((len(recorded), *value.shape)) for name, value in model.observe(parameters).items()}
    row, progress = 0, Progress(log, 0, recorded[-1])
    for t in range(recorded[-1] + 1):
        progress.tick(t)
        if t == recorded[row]:
            for name, value in model.observe(parameters).items():
                history[name][row] = value
                if message := _not_finite(name, value, t):
                    before = {name: values[:row] for name, values in history.items()}
                    raise NumericalFailure(message, {"step": np.array(recorded[:row], dtype=int), **before})
            row += 1
        if t < recorded[-1]:
            gradients = model.gradient(parameters)
            context = StepContext(t, gradients, partial(model.log_gap, parameters))
            moved = {}
            for name, value in parameters.items():
                moved[name], states[name] = optimizers[name].update(gradients[name], states[name], value, context)
            parameters = moved
    return {"step": np.array(recorded), **history}


def _not_finite(name: str, values: Array, step: int) -> str:
    finite = np.isfinite(values)
    if finite.all():
        return ""
    problem, start = np.argwhere(~finite)[0][:2]
    return f"{name} is not finite at step {step} (problem {problem}, start {start})"
