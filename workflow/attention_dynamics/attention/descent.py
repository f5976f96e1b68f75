"""Full-batch training of any model by any optimizer, on all problems and from all starts at once."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from attention_dynamics.attention.models.model import BoundModel
from attention_dynamics.optim.gradient import StepContext
from attention_dynamics.optim.optimizer import Optimizer, checked_update
from attention_dynamics.problems.arrays import check_increasing, takes_arrays
from attention_dynamics.problems.problem import Array
from attention_dynamics.progress import Progress, log
from attention_dynamics.training import NumericalFailure


@takes_arrays()
def descend(
    model: BoundModel, optimizers: Mapping[str, Optimizer], start: Mapping[str, Array], *, record_steps: Sequence[int],
    allow_divergence: bool = False,
) -> dict[str, NDArray[Any]]:  # fmt: skip
    """Train on the full batch and return the trajectory.

    optimizers: parameter name -> its optimizer. All parameters move at once, with gradients at the same iterate.
    start: parameter name -> starting points, (starts, m), or (problems, starts, m) if they differ between problems.
    record_steps: the iterates to record, in increasing order, at least one; training ends with the last of them.

    Returns "step", (records,), and the arrays of ``model.observe``, (records, problems, starts, ...). A trajectory that
    is not finite at a record has diverged: it is NaN from this record on, and the other trajectories go on. A line is
    printed for each record at which trajectories diverge. Training that takes longer than
    ``progress.REPORT_INTERVAL_S`` seconds prints its progress.

    Raises NumericalFailure when all trajectories have diverged, unless ``allow_divergence``. Its message names
    parameter, step, problem and start; its ``partial_trajectory`` has the records before this step.
    Raises TypeError for a model that is not bound to a problem.
    Raises ValueError for record_steps that do not increase.
    Raises ValueError for starts that do not fit the model.
    Raises ValueError for a parameter without an optimizer.
    """
    check_increasing(record_steps)
    # BLAS uses one thread, so that the bits of products do not depend on the number of cores. This is set once for all
    # steps, because it takes 1 ms. NumPy's warnings are off, because overflow is detected at the records.
    with threadpool_limits(1, "blas"), np.errstate(all="ignore"):
        return _descend(model, optimizers, start, record_steps, allow_divergence)


def _descend(
    model: BoundModel,
    optimizers: Mapping[str, Optimizer],
    start: Mapping[str, Array],
    record_steps: Sequence[int],
    allow_divergence: bool,
) -> dict[str, NDArray[Any]]:
    if not isinstance(model, BoundModel):
        raise TypeError(f"model: need a model that is bound to a problem, model.bind(problem, loss), got {model!r}")
    parameters = model.initial(start)
    try:
        states = {name: optimizers[name].init(value) for name, value in parameters.items()}
    except KeyError as error:
        raise ValueError(f"optimizers: {error.args[0]} needs one") from None
    observed = model.observe(parameters)
    history = {name: np.full((len(record_steps), *value.shape), np.nan) for name, value in observed.items()}
    diverged = np.zeros(next(iter(observed.values())).shape[:2], dtype=bool)
    row, progress = 0, Progress(log, 0, record_steps[-1])
    for t in range(record_steps[-1] + 1):
        progress.tick(t)
        if t == record_steps[row]:
            observed = model.observe(parameters)
            if message := _mark_diverged(diverged, observed, t, optimizers):
                log(message)
                if diverged.all() and not allow_divergence:
                    before = {name: values[:row] for name, values in history.items()}
                    raise NumericalFailure(message, {"step": np.array(record_steps[:row], dtype=int), **before})
            for name, value in observed.items():
                history[name][row] = value
            if diverged.any():
                for values in history.values():
                    values[row, diverged] = np.nan
            row += 1
        if t < record_steps[-1]:
            gradients = model.gradient(parameters)
            context = StepContext(t, gradients, partial(model.log_gap, parameters))
            moved = {}
            for name, value in parameters.items():
                optimizer = optimizers[name]
                try:
                    moved[name], states[name] = checked_update(optimizer, gradients[name], states[name], value, context)
                except Exception as error:
                    # ``comparison.cell`` wraps optimizers in a class without ``kind``. They need no note, because the
                    # comparison reports an error as the result of the optimizer that raised it.
                    if kind := getattr(optimizer, "kind", ""):
                        error.add_note(f"in optimizer {kind} at step {t}")
                    raise
            parameters = moved
    return {"step": np.array(record_steps), **history}


def _mark_diverged(
    diverged: NDArray[np.bool_], observed: Mapping[str, Array], step: int, optimizers: Mapping[str, Optimizer]
) -> str:
    """Set ``diverged`` to True, in place, for trajectories that are not finite, and return a message.

    The message names the first quantity that is no longer finite in some trajectories and the first of these
    trajectories, and counts the others. It is empty if no further trajectory has diverged.
    diverged: (problems, starts). observed: name -> (problems, starts, ...).
    """
    message = ""
    for name, values in observed.items():
        finite = np.isfinite(values)
        if finite.all():
            continue
        new = ~finite.reshape(*diverged.shape, -1).all(-1) & ~diverged
        if new.any():
            diverged |= new
            problem, start = np.argwhere(new)[0]
            others = f" and {new.sum() - 1} others" if new.sum() > 1 else ""
            kind = getattr(optimizers.get(name), "kind", "")
            where = ", ".join(filter(None, [kind and f"optimizer {kind}", f"problem {problem}", f"start {start}"]))
            message = message or f"{name} is not finite at step {step} ({where}{others}): diverged"
    return message
