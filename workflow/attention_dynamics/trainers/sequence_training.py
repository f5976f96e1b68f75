"""The (Y, Z) transformer on sequence classes (``attention_dynamics.sequences.gradient``)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from attention_dynamics.training import NumericalFailure
from attention_dynamics.training import recorded_steps
from attention_dynamics.sequences import gradient as training
from attention_dynamics.sequences.sampled import SampledSequences


def train(problem: SampledSequences, spec: Mapping[str, Any]) -> dict[str, NDArray]:
    """The trajectory: "step" (records,), "Z" (records, P, pairs of learning rates, query tokens, M), and "loss".

    loss: (records, P, pairs), mean cross-entropy in nats of the batch that the next step is taken on; NaN after the
        last batch. spec: eta_Y, eta_Z, algorithm, precision, steps, record_every, record_digits.
    Raises NumericalFailure, naming seed, step and combo, where a loss is not finite.
    """
    recorded = recorded_steps(spec["steps"], spec["record_every"], spec["record_digits"])
    arguments = {name: spec[name] for name in ("eta_Y", "eta_Z", "precision")} | {"optimizer": spec["algorithm"]}

    def run(row: int) -> dict[str, NDArray]:
        try:
            return training.train(problem.classes, problem.samples(row), recorded=recorded, observed=["Z"], **arguments)
        except NumericalFailure as failure:
            what = f"seed {problem.settings['seed'][row]:g}: {failure}"
            raise NumericalFailure(what, failure.recorded) from None

    with threadpool_limits(1):
        runs = [run(row) for row in range(len(problem.labels))]
    # The loss has a row for every step; the last record has no step after it.
    losses = [np.vstack([run["loss"], np.full((1, run["loss"].shape[1]), np.nan)])[recorded] for run in runs]
    return {
        "step": np.array(recorded),
        "Z": np.stack([run["Z"] for run in runs], axis=1).astype(float),
        "loss": np.stack(losses, axis=1).astype(float),
    }
