"""The gradient that the decoder hands to attention (Scan and snap, Theorem 1, Lemmas 3 and 5)."""

import numpy as np

from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.theory.growth_laws import h_star
from attention_dynamics.theory.span_dynamics import class_vectors, correction


class Backpropagation(Measure, kind="backpropagation"):
    """Coefficients of eq. 9 for every class n, (records, problems, K) unless said otherwise.

    speed, iota, beta, beta_gap and xi are NaN at step 0.
    speed: gamma, (records, problems, 1). iota: iota_n / (1 - E'_nn). beta: beta_nn' / E'_nn' for n' != n, (records,
    problems, K (K - 1)). own_correction: E'_nn, the same for all records. E': ``span_dynamics.correction``.
    iota_limit, beta_limit: limits of iota and beta if all classes are drawn equally often, the same for all records. By
        Lemma 5, F'Y (e_n - alpha_n) is proportional to e_n minus the mean of the M - 1 other e_j, of which K - 1 belong
        to classes; alpha_n = softmax(Y'f_n). Multiplication by (F'F)^-1 = I - E' gives the coefficients.
        The limits differ from 1 by terms of order 1 / M.
    beta_gap: |beta_nn' - E'_nn'| M / 3, which eqs. 86 to 89 bound by 1, (records, problems, K (K - 1)).
    xi: xi_n of Theorem 1.
    row_error: (records, problems, 1), the largest absolute difference between the rows of F'Y and (M - 1) h* zeta_n,
        divided by the largest absolute entry of (M - 1) h* zeta_n. Here zeta_n = M / (M - 1) (e_n - 1/M), and h* is
        taken at the number of steps in which class n was drawn.
    """

    series = (
        "speed", "iota", "beta", "iota_limit", "beta_limit", "own_correction", "beta_gap", "xi", "row_error",
    )  # fmt: skip
    data = ("classes",)
    required_settings = ("order",)

    def measure(self, run: Run) -> dict[str, Array]:
        found = {name: run.trajectory[name][:, :, 0] for name in ("iota", "beta", "gamma", "Y", "drawn")}
        _, K, M = run.problem.probabilities.shape
        off = ~np.eye(K, dtype=bool)
        F = [class_vectors(P) for P in run.problem.probabilities]
        E = np.stack([correction(one) for one in F])
        gram = np.stack([one.T @ one for one in F])
        closed = h_star(run.training.steps, run.training.eta_Y, M)[found["drawn"].astype(int)]
        rows = M * closed[..., None] * (np.eye(K, M) - 1 / M)
        largest = np.maximum(np.abs(rows).max((-1, -2)), np.finfo(float).tiny)
        pulls = (np.eye(K) - E) @ (np.eye(K) - off / (M - 1)) * M / (M - 1)
        limits = {
            "iota_limit": np.diagonal(pulls, axis1=1, axis2=2) / (1 - np.diagonal(E, axis1=1, axis2=2)),
            "beta_limit": -pulls.swapaxes(1, 2)[:, off] / E[:, off],
            "own_correction": np.diagonal(E, axis1=1, axis2=2),
        }
        records = len(found["gamma"])
        return {
            **{name: np.broadcast_to(limit, (records, *limit.shape)) for name, limit in limits.items()},
            "speed": found["gamma"][..., None],
            "iota": found["iota"] / (1 - np.diagonal(E, axis1=1, axis2=2)),
            "beta": found["beta"][..., off] / E[:, off],
            "beta_gap": np.abs(found["beta"] - E)[..., off] * M / 3,
            "xi": found["gamma"][..., None] * (np.where(off, found["beta"], 0) * gram).sum(-1),
            "row_error": (np.abs(found["Y"] - rows).max((-1, -2)) / largest)[..., None],
        }
