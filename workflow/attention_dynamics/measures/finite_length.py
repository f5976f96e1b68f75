"""Distance of attention on finite sequences from its limit (Scan and snap, Lemmas 2 and 18)."""

import numpy as np

from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run


class FiniteLength(Measure, kind="finite_length"):
    """Statistics over the samples of each length T, (records, P, 1).

    vector_mean, matrix_mean: mean distances of X'b from c_n and of X'diag(b)X from diag(c_n).
    vector_quantile: the 95 % quantile of the former. within_hoeffding: share of the samples in which every token's
    share of the sequence is within sqrt(ln(2 S / delta) / (2 T)) of P(l|n), with S tokens in the class, delta = 0.05.
    """

    series = ("vector_mean", "matrix_mean", "vector_quantile", "within_hoeffding")
    data = ("classes",)
    required_settings = ("lengths",)

    def measure(self, run: Run) -> dict[str, Array]:
        vector, matrix, counts = (run.trajectory[name] for name in ("vector", "matrix", "counts"))
        tokens = (run.problem.probabilities[:, 0] > 0).sum(-1)
        radius = np.sqrt(np.log(2 * tokens / 0.05) / (2 * run.steps[:, None]))
        return {
            "vector_mean": vector.mean(-1),
            "matrix_mean": matrix.mean(-1),
            "vector_quantile": np.quantile(vector, 0.95, axis=-1),
            "within_hoeffding": (counts <= radius[..., None, None]).mean(-1),
        }
