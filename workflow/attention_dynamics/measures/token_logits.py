"""Logits of single tokens (Scan and snap, Section 7)."""

import numpy as np

from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.sequences.token_classes import TokenClasses


class TokenLogits(Measure, kind="token_logits"):
    """token_logits: z of the first query token for every contextual token, (records, P, pairs, tokens).

    overlaps: f_n'f_n' of every two classes at Z = 0, with the query token in f_n where the training has a residual
    connection, the same at all records, (records, P, pairs, K, K).
    """

    series = ("token_logits", "overlaps")
    data = ("classes",)
    required_settings = ("residual",)

    def measure(self, run: Run) -> dict[str, Array]:
        problem, z = run.problem, run.trajectory["z"]
        overlaps = class_overlaps(problem, run.training.residual)
        shape = (*z.shape[:3], *overlaps.shape[1:])
        return {
            "token_logits": z[..., 0, : problem.contextual],
            "overlaps": np.broadcast_to(overlaps[None, :, None], shape).copy(),
        }


def class_overlaps(problem: TokenClasses, residual: bool) -> Array:
    """Return f_n'f_n' of every two classes at Z = 0, (P, K, K)."""
    v = problem.probabilities.copy()
    if residual:
        v[:, np.arange(len(problem.queries)), problem.contextual + problem.queries] += 1
    f = v / np.linalg.norm(v, axis=-1, keepdims=True)
    return np.asarray(f @ f.swapaxes(1, 2))
