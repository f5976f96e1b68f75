"""Logits of single tokens (Scan and snap, Section 7)."""

import numpy as np

from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.sequences.token_classes import TokenClasses


class TokenLogits(Measure, kind="token_logits"):
    """Logits of single tokens, and overlaps of classes.

    token_logits: attention logits z of the first query token for every contextual token, (records, problems, pairs of
        learning rates, tokens).
    overlaps: inner products <f_n, f_m> of the class vectors at Z = 0 for all classes n and m, the same at all records,
        (records, problems, pairs, K, K). If the training has a residual connection, f_n includes the query token.
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
    """Return <f_n, f_m> of the class vectors at Z = 0, (problems, K, K). residual: f_n includes the query token."""
    v = problem.probabilities.copy()
    if residual:
        v[:, np.arange(len(problem.queries)), problem.contextual + problem.queries] += 1
    f = v / np.linalg.norm(v, axis=-1, keepdims=True)
    return np.asarray(f @ f.swapaxes(1, 2))
