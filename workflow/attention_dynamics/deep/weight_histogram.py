"""Sizes of the weights of queries, keys and values, in the bins of the published histograms (Mirror descent).

Does not import torch, because measures and figures need the bins.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

# Width and number of the bins; the last one also counts everything larger.
BIN_WIDTH, BINS = 0.005, 400


def count_per_bin(sizes: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the number of ``sizes`` in each bin, (BINS,). All sizes must be 0 or more."""
    bins = np.minimum(sizes.ravel() / BIN_WIDTH, BINS - 1).astype(np.int64)
    return np.bincount(bins, minlength=BINS)


def observe_weights(model: Any) -> dict[str, NDArray[Any]]:
    """Return three histograms of |w|, one each for the query, key and value weights w, over all layers of a network.

    weight_counts_q: (BINS,), number of query weights with |w| in each bin. weight_max_q: (), their largest |w|. The
    endings _k and _v are for key and value weights.
    """
    sizes = {name.lower(): weights.abs().cpu().double().numpy() for name, weights in model.projections().items()}
    counts = {f"weight_counts_{name}": count_per_bin(size) for name, size in sizes.items()}
    return counts | {f"weight_max_{name}": size.max() for name, size in sizes.items()}
