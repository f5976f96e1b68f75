"""Fates of tokens along the differential equation of attention (Scan and snap, Theorems 2 and 3)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.theory.span_dynamics import correlation_margin
from attention_dynamics.theory.token_dynamics import distinct_tokens


class AttentionFlow(Measure, kind="attention_flow"):
    """Quantities of every flow (a solution of eq. 10), (records, problems, flows) unless said otherwise.

    z are the attention logits, f_n is the class vector of class n under the current attention (eq. 7), and xi_n is the
    factor of dz/dt in Theorem 1. A distinct token occurs in one class only, a common token in several. The dominant
    token of class 0 is its distinct token with the largest entry of f_0 at the start.

    slowest_distinct: the smallest dz/dt of a distinct token. fastest_common: the largest dz/dt of a common token.
    exponent: B_0, the integral of eta_Z xi_0. dominant_logit: z - z(0) of the dominant token.
    dominant_vector: f, the entry of f_0 for the dominant token.
    lower, upper: the bounds of eq. 12 on dominant_logit, f(0)^2 B_0 and B_0.
    law_error: the largest relative error of eq. 11, over classes and pairs of distinct tokens.
    distinct_shares: the entries of f_0 for the distinct tokens of class 0, divided by their sum, (records, problems,
        flows, tokens).
    top_share: the largest of these shares. winner: the index of its token among the distinct tokens.
    favorite: the index of the dominant token among the distinct tokens.
    assumption_2: the margin by which Assumption 2 holds for the vocabulary size of the training; negative if it fails.
    """

    series = (
        "slowest_distinct", "fastest_common", "exponent", "dominant_logit", "lower", "upper", "dominant_vector",
        "law_error", "top_share", "winner", "favorite", "distinct_shares", "assumption_2",
    )  # fmt: skip
    data = ("classes",)
    required_settings = ("heads",)

    def measure(self, run: Run) -> dict[str, Array]:
        rows = [
            [self._flow(run, problem, flow) for flow in range(run.trajectory["z"].shape[2])]
            for problem in range(len(run.problem.probabilities))
        ]
        return {
            name: np.moveaxis(np.array([[flow[name] for flow in row] for row in rows]), 2, 0) for name in self.series
        }

    def _flow(self, run: Run, problem: int, flow: int) -> dict[str, NDArray[Any]]:
        P, queries = run.problem.probabilities[problem], run.problem.queries
        z, velocity, f, exponent = (
            run.trajectory[name][:, problem, flow] for name in ("z", "velocity", "f", "exponent")
        )
        own = distinct_tokens(P).astype(bool)
        common = (P > 0).sum(0) > 1
        of_class = np.flatnonzero(own[0])
        dominant = of_class[f[0, 0, of_class].argmax()]
        growth = z[:, queries[0], dominant] - z[0, queries[0], dominant]
        shares = f[:, 0, of_class] / f[:, 0, of_class].sum(-1, keepdims=True)
        return {
            "slowest_distinct": np.min(
                [velocity[:, m][:, own[queries == m].any(0)].min(-1) for m in np.unique(queries)], 0
            ),
            "fastest_common": velocity[:, :, common].max((-1, -2)),
            "exponent": exponent[:, 0],
            "dominant_logit": growth,
            "lower": f[0, 0, dominant] ** 2 * exponent[:, 0],
            "upper": exponent[:, 0],
            "dominant_vector": f[:, 0, dominant],
            "law_error": _law_error(f, z, own, queries),
            "top_share": shares.max(-1),
            "winner": shares.argmax(-1).astype(float),
            "favorite": np.full(len(z), float(shares[0].argmax())),
            "distinct_shares": shares,
            "assumption_2": correlation_margin(f, run.training.vocabulary),
        }


def _law_error(f: Array, z: Array, own: NDArray[np.bool_], queries: NDArray[np.int64]) -> Array:
    """Return the largest relative error of r(t) = r(0) chi(t), eq. 11, over classes and pairs of distinct tokens.

    r = f_l^2 / f_l'^2 - 1 for tokens l and l' of a class. Pairs with r(0) = 0 are left out. f: (records, K, M);
    z: (records, queries, M); own: (K, M), True for the distinct tokens of a class; queries: (K,), the query of each
    class. The result is (records,).
    """
    errors = []
    for n, m in enumerate(queries):
        there = np.flatnonzero(own[n])
        squares = f[:, n, there] ** 2
        gain = squares[:, :, None] / squares[:, None, :] - 1
        chi = np.exp(2 * (z[:, m, there] - z[0, m, there]))
        law = gain[0] * chi[:, :, None]
        pairs = gain[0] != 0
        errors.append(np.abs(gain / np.where(pairs, law, 1) - 1)[:, pairs].max(-1, initial=0.0))
    return np.max(errors, axis=0)
