"""Training of the one-layer transformer on sequence classes (Scan and snap, Section 8)."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from threadpoolctl import threadpool_limits

from attention_dynamics.problems.arrays import takes_arrays
from attention_dynamics.progress import log
from attention_dynamics.sequences.classes import SequenceClasses
from attention_dynamics.sequences.learning_rates import LearningRatePairs
from attention_dynamics.sequences.sampled import SampledSequences, Samples, SequenceShape
from attention_dynamics.sequences.transformer_gradient import OPTIMIZERS, gradient
from attention_dynamics.training import NO_CONTEXT, IncompatibleRunError, Iterated, JobContext, NumericalFailure


class SequenceTraining(LearningRatePairs, Iterated, kind="sequence_training"):
    """Training of the one-layer (Y, Z) transformer on sequence classes, once for each pair of learning rates.

    algorithm: "sgd", with momentum 0.9, or "adam". precision: floating-point type of the arithmetic.
    """

    data = "sequences"

    algorithm: Literal["sgd", "adam"] = "sgd"
    precision: Literal["float64", "float32"] = "float64"

    def check(self, shape: SequenceShape) -> None:
        if self.steps > shape.batches:
            raise IncompatibleRunError(
                "steps", f"must be at most {shape.batches}, the number of batches of the problem"
            )

    def train(self, problem: SampledSequences, context: JobContext = NO_CONTEXT) -> dict[str, NDArray[Any]]:
        """Return "step", (records,), "Z", (records, seeds, pairs of learning rates, query tokens, M), and "loss".

        loss: (records, seeds, pairs), mean cross-entropy in nats of the batch of the next step. It is NaN at the last
        record, which no step follows, and after a pair has diverged. Raises NumericalFailure if all pairs of all seeds
        have diverged.
        """
        # One thread, because with several threads the last bit of sums may depend on the number of cores.
        with threadpool_limits(1):
            runs = [self._train_seed(problem, row) for row in range(len(problem.labels))]
        if all(np.isnan(run["Z"][-1]).all() for run in runs):
            recorded = {"step": runs[0]["step"], "loss": np.stack([run["loss"] for run in runs], axis=1)}
            raise NumericalFailure("every training has diverged; the log says at which step", recorded)
        # A row of NaN is appended to the losses of the steps, because no step follows the last record.
        losses = [np.vstack([run["loss"], np.full((1, run["loss"].shape[1]), np.nan)])[run["step"]] for run in runs]
        return {
            "step": np.array(self.recorded_steps),
            "Z": np.stack([run["Z"] for run in runs], axis=1).astype(float),
            "loss": np.stack(losses, axis=1).astype(float),
        }

    def _train_seed(self, problem: SampledSequences, row: int) -> dict[str, NDArray[Any]]:
        seed = f"seed {problem.settings['seed'][row]:g}"
        return train_pairs(
            problem.classes, problem.samples(row), eta_Y=self.eta_Y, eta_Z=self.eta_Z, record_steps=self.recorded_steps,
            observed=["Z"], optimizer=self.algorithm, precision=self.precision,
            report=lambda message: log(f"{seed}: {message}"),
        )  # fmt: skip


@takes_arrays()
def train_pairs(
    data: SequenceClasses, samples: Samples, *, eta_Y: ArrayLike, eta_Z: ArrayLike, record_steps: Sequence[int],
    observed: Sequence[str] = ("Y", "Z"), optimizer: Literal["sgd", "adam"] = "sgd",
    precision: Literal["float64", "float32"] = "float64", report: Callable[[str], None] = log,
) -> dict[str, NDArray[Any]]:  # fmt: skip
    """Train on the batches of one seed, one after the other, with every pair of step sizes at once.

    eta_Y, eta_Z: step sizes of the two matrices, (pairs,) or a number for all pairs. observed: the matrices to record.
    record_steps: the steps to record, in increasing order; training ends at the last one.
    report: function that is called with a message when a pair diverges.

    Returns "step", (records,); "loss", (steps, pairs), in nats, of each step's batch before the step; and, if observed,
    "Y", (records, pairs, contextual tokens, M), and "Z", (records, pairs, query tokens, M).
    A pair diverges at the first step at which its loss is not finite. Its losses from this step on and its records of
    later steps are NaN; the training of other pairs goes on.
    Raises ValueError for an unknown optimizer, precision or observed matrix, and for negative step sizes.
    Raises ValueError also for record_steps that do not increase or exceed the number of batches.
    """
    if optimizer not in OPTIMIZERS or precision not in ("float64", "float32") or not set(observed) <= {"Y", "Z"}:
        raise ValueError(f"unknown optimizer, precision or observed: {optimizer!r}, {precision!r}, {list(observed)}")
    at, available = np.array(record_steps, dtype=np.int64), len(samples.classes)
    if not len(at) or at[0] < 0 or (np.diff(at) <= 0).any() or at[-1] > available:
        raise ValueError(f"record_steps: need increasing steps from 0 to {available}, got {list(record_steps)}")
    sizes = np.stack(np.broadcast_arrays(np.atleast_1d(eta_Y), eta_Z)).astype(precision)[..., None, None]
    if not (sizes >= 0).all():
        raise ValueError(f"eta_Y and eta_Z must be at least 0, got {eta_Y!r} and {eta_Z!r}")
    pairs = sizes.shape[1]
    weights = {name: np.tile(getattr(samples, name).astype(precision), (pairs, 1, 1)) for name in ("Y", "Z")}
    rules = {name: OPTIMIZERS[optimizer](weights[name], size) for name, size in zip(weights, sizes, strict=True)}
    history = {name: np.empty((len(at), *weights[name].shape), precision) for name in observed}
    loss, diverged = np.empty((at[-1], pairs), precision), np.zeros(pairs, dtype=bool)
    for t in range(at[-1] + 1):
        for name, values in history.items():
            values[at == t] = weights[name]
            values[np.ix_(at == t, diverged)] = np.nan
        if t < at[-1]:
            with np.errstate(over="ignore", invalid="ignore"):
                descent = gradient(data, **weights, classes=samples.classes[t], counts=samples.counts[t])
                loss[t] = descent.loss
                for pair in np.flatnonzero(~np.isfinite(loss[t]) & ~diverged):
                    diverged[pair] = True
                    report(f"loss is not finite at step {t} (pair {pair}): diverged")
                loss[t, diverged] = np.nan
                for name, rule in rules.items():
                    rule.step(getattr(descent, name))
    return {"step": at, "loss": loss, **history}
