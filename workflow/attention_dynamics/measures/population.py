"""Attention logits in training with the population gradient (Scan and snap, Theorem 3, Corollary 2 and Section 7)."""

import numpy as np

from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.theory.token_dynamics import distinct_tokens, growth_law_error


class Population(Measure, kind="population"):
    """Loss and logits for every pair of learning rates, (records, problems, pairs).

    loss: mean cross-entropy in nats. law_error: the largest relative error of eq. 11 over classes and pairs of distinct
    tokens of a class with different P(l|n); every class must have such a pair. largest_common: the largest logit of a
    common token. smallest_distinct: the smallest logit of a distinct token.
    """

    series = ("loss", "law_error", "largest_common", "smallest_distinct")
    data = ("classes",)
    required_settings = ("residual",)

    def measure(self, run: Run) -> dict[str, Array]:
        z, queries = run.trajectory["z"], run.problem.queries
        errors, common, distinct = [], [], []
        for row, P in enumerate(run.problem.probabilities):
            own = distinct_tokens(P).astype(bool)
            logits = z[:, row][:, :, queries]
            errors.append(growth_law_error(P, queries.tolist(), z[:, row]).max(-1))
            common.append(np.where((P > 0) & ~own, logits, -np.inf).max((-1, -2)))
            distinct.append(np.where(own, logits, np.inf).min((-1, -2)))
        series = {"law_error": errors, "largest_common": common, "smallest_distinct": distinct}
        return {"loss": run.trajectory["loss"]} | {name: np.stack(rows, 1) for name, rows in series.items()}
