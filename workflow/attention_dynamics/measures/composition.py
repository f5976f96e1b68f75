"""Tokens that attention has learned to combine, on sequence classes (Scan and snap Figs 2 and 4 to 6)."""

import numpy as np

from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.sequences.token_composition import common_mass, composition, distinct_entropy, distinct_shares


class Composition(Measure, kind="composition"):
    """Statistics of c_n (eq. 5), the shares of the M tokens in the attention in class n, computed with the true P(l|n).

    All but token_shares are (records, problems, pairs of learning rates). loss: the training loss. distinct_entropy,
    common_mass: means over the classes of the functions of this name in ``sequences.token_composition``.
    top_token, mean_token: the distinct tokens of the first class are numbered from 0. top_token is the number with the
        largest share, mean_token the mean of the numbers weighted by the shares.
    ordered_pairs: the number of pairs of consecutive distinct tokens of a class whose second token has the larger
        share; the minimum over the classes. The published classes list distinct tokens by increasing P(l|n).
    largest_common_logit: the largest z of a common token.
    token_shares: c_n itself, (records, problems, pairs, K, M).
    """

    series = (
        "loss", "distinct_entropy", "common_mass", "top_token", "mean_token", "ordered_pairs",
        "largest_common_logit", "token_shares",
    )  # fmt: skip
    data = ("sequences",)

    def measure(self, run: Run) -> dict[str, Array]:
        classes, Z = run.problem.classes, run.trajectory["Z"]
        c = composition(classes, Z)
        own = distinct_shares(classes, c)
        return {
            "loss": run.trajectory["loss"],
            "distinct_entropy": distinct_entropy(classes, c).mean(-1),
            "common_mass": common_mass(classes, c).mean(-1),
            "top_token": own[..., 0, :].argmax(-1).astype(float),
            "mean_token": (own[..., 0, :] * np.arange(own.shape[-1])).sum(-1),
            "ordered_pairs": (np.diff(own) > 0).sum(-1).min(-1).astype(float),
            "largest_common_logit": Z[..., classes.query_index, :][..., classes.common].max((-1, -2)),
            "token_shares": c,
        }
