"""Attention on sequences of finite length as a kind of training: nothing is trained, sequences are drawn."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.sequences.token_classes import TokenClasses
from attention_dynamics.training import NO_CONTEXT, JobContext, Training
from attention_dynamics.types import Count, Counts, NonNegative, Seed


class AttentionSamples(Training, kind="attention_samples"):
    """Sequences of class 0 with the given numbers of contextual tokens, and the attention on them by fixed logits.

    spread: standard deviation of the logits, drawn once with ``seed``. samples: sequences of each length.
    """

    data = "classes"

    lengths: Counts
    samples: Count
    spread: NonNegative = 1.0
    seed: Seed = 0

    def train(self, problem: TokenClasses, context: JobContext = NO_CONTEXT) -> dict[str, NDArray[Any]]:
        """Return "step", the lengths (records,), "z" (P, tokens of class 0), and the distances of samples from their
        limits, (records, P, 1, samples): "vector" |X'b - c_n|, "matrix", the spectral norm of X'diag(b)X - diag(c_n),
        and "counts", the largest of a token's share of the sequence minus P(l|n).
        """
        rng = np.random.default_rng(self.seed)
        found: dict[str, list[list[NDArray[Any]]]] = {"vector": [], "matrix": [], "counts": []}
        logits = []
        for P in problem.probabilities[:, 0]:
            p = P[P > 0]
            z = rng.standard_normal(len(p)) * self.spread
            limit = p * np.exp(z) / (p @ np.exp(z))
            logits.append(z)
            rows: dict[str, list[NDArray[Any]]] = {name: [] for name in found}
            for length in self.lengths:
                shares = rng.multinomial(length, p, size=self.samples) / length
                weights = shares * np.exp(z)
                error = weights / weights.sum(-1, keepdims=True) - limit
                rows["vector"].append(np.linalg.norm(error, axis=-1))
                # X'diag(b)X is diagonal, as every row of X is one-hot.
                rows["matrix"].append(np.abs(error).max(-1))
                rows["counts"].append(np.abs(shares - p).max(-1))
            for name, lengths in rows.items():
                found[name].append(lengths)
        distances = {name: np.array(rows).swapaxes(0, 1)[:, :, None] for name, rows in found.items()}
        return {"step": np.array(self.lengths), "z": np.stack(logits), **distances}

    def records_step(self, step: int) -> bool:
        return step in self.lengths

    @property
    def record_schedule(self) -> str:
        return ", ".join(map(str, self.lengths))
