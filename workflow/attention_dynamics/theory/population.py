"""Gradient ascent on the expected log-likelihood as a kind of training (Scan and snap, Lemmas 1 and 2)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.sequences.learning_rates import LearningRatePairs
from attention_dynamics.sequences.token_classes import TokenClasses
from attention_dynamics.training import NO_CONTEXT, Iterated, JobContext


class Population(LearningRatePairs, Iterated, kind="population"):
    """Gradient ascent on infinitely long sequences from Y = Z = 0, with all classes in every step.

    residual: add a residual connection, so that the decoder also reads the query token (Scan and snap, Section 7).
    """

    data = "classes"

    residual: bool = False

    def train(self, problem: TokenClasses, context: JobContext = NO_CONTEXT) -> dict[str, NDArray[Any]]:
        """Return "step", (records,), the attention logits "z" and the mean cross-entropy "loss" in nats.

        "z" is (records, problems, pairs, Q, M), for pairs of learning rates, Q query tokens and M tokens. "loss" is
        (records, problems, pairs).
        """
        # Imported here, because reading a configuration does not need SciPy's solvers.
        from attention_dynamics.theory.population_training import train

        runs = [
            train(
                P, problem.queries.tolist(), eta_Y=self.eta_Y, eta_Z=self.eta_Z, record_steps=self.recorded_steps,
                residual=self.residual,
            )
            for P in problem.probabilities
        ]  # fmt: skip
        return {
            "step": np.array(self.recorded_steps),
            "z": np.stack([run.z for run in runs], axis=1),
            "loss": np.stack([run.loss for run in runs], axis=1),
        }
