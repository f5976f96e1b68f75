"""Sparsity and size of the weights of queries, keys and values (Mirror descent, IMDb and CIFAR-10)."""

from attention_dynamics.deep.weight_histogram import BIN_WIDTH
from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.types import NonNegative


class Weights(Measure, kind="weights"):
    """Histograms, maxima and shares of |w| for the weights w of queries, keys and values.

    Each series exists for queries, keys and values (_q, _k, _v). The shape is (records, 1, trained networks), for
    weight_counts (records, 1, trained networks, bins).
    weight_counts: number of weights with |w| in each bin of the published histograms. weight_max: the largest |w|.
    near_zero: share of the weights with |w| < 0.005, the first bin. large: share of the weights with |w| of at least
    the setting ``large``, rounded to the nearest edge of a bin.
    """

    series = (
        "weight_counts_q", "weight_counts_k", "weight_counts_v", "weight_max_q", "weight_max_k", "weight_max_v",
        "near_zero_q", "near_zero_k", "near_zero_v", "large_q", "large_k", "large_v",
    )  # fmt: skip
    data = ("images", "texts")
    required_settings = ("deep_optimizer",)
    required_observation = "weights"

    large: NonNegative = 0.06

    def measure(self, run: Run) -> dict[str, Array]:
        observed = {name: run.trajectory[name] for name in self.series if name in run.trajectory}
        counts = {w: run.trajectory[f"weight_counts_{w}"] for w in "qkv"}
        first = round(self.large / BIN_WIDTH)
        near_zero = {f"near_zero_{w}": count[..., 0] / count.sum(-1) for w, count in counts.items()}
        return observed | near_zero | {f"large_{w}": c[..., first:].sum(-1) / c.sum(-1) for w, c in counts.items()}
