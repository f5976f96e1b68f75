"""Training of the decoder alone as a kind of training (Scan and snap, Section 4)."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.sequences.token_classes import TokenClasses
from attention_dynamics.training import NO_CONTEXT, Iterated, JobContext
from attention_dynamics.types import Positive, Seed


class DecoderTraining(Iterated, kind="decoder_training"):
    """Gradient ascent on Y from Y = 0, one class per step, with the modified gradient of eq. 26 of Scan and snap.

    Attention is fixed at Z = 0. eta_Y: learning rate. order: "turns" to train on the classes in turn; "random" to draw
    the class of each step uniformly, with ``seed``.
    """

    data = "classes"

    eta_Y: Positive  # noqa: N815
    order: Literal["turns", "random"] = "random"
    seed: Seed = 0

    def train(self, problem: TokenClasses, context: JobContext = NO_CONTEXT) -> dict[str, NDArray[Any]]:
        """Return "step", (records,), and arrays of shape (records, problems, 1, ...) for K classes and M tokens.

        "Y", (..., K, M), is F'Y (``span_dynamics``). "drawn", (..., K), counts the steps on each class so far.
        "iota", (..., K), "beta", (..., K, K), "gamma" and "residual", (...), are the results of
        ``span_dynamics.backpropagation``. They are NaN at step 0.
        """
        # Imported here, because reading a configuration does not need SciPy.
        from attention_dynamics.theory.span_dynamics import backpropagation, class_vectors, train_decoder

        K = len(problem.queries)
        drawn = np.random.default_rng(self.seed).integers(K, size=self.steps)
        classes = (drawn if self.order == "random" else np.arange(self.steps) % K).tolist()
        at = self.recorded_steps
        rows: list[dict[str, NDArray[Any]]] = []
        for P in problem.probabilities:
            # ``train_decoder`` takes token n as the next token of class n. Other tokens would only permute the columns
            # of Y, because Y starts at zero.
            F = class_vectors(P)
            Y = train_decoder(F, classes, eta_Y=self.eta_Y, record_steps=at)
            found = backpropagation(Y[1:], F, at[1:], eta_Y=self.eta_Y)
            counts = np.array([np.bincount(np.array(classes[:step], dtype=int), minlength=K) for step in at])
            late = {name: getattr(found, name) for name in ("iota", "beta", "gamma", "residual")}
            padded = {
                name: np.concatenate([np.full((1, *values.shape[1:]), np.nan), values]) for name, values in late.items()
            }
            rows.append({"Y": F.T @ Y, "drawn": counts, **padded})
        return {"step": np.array(at)} | {name: np.stack([row[name] for row in rows], 1)[:, :, None] for name in rows[0]}
