"""The bins of the published histograms of weights (Mirror descent 4.3 and 4.5); what is larger goes to the last one."""

import numpy as np
from numpy.typing import NDArray

BIN_WIDTH, BINS = 0.005, 400


def counts(sizes: NDArray) -> NDArray[np.int64]:
    """How many of the numbers, all 0 or more, are in each bin, (BINS,)."""
    bins = np.minimum(sizes.ravel() / BIN_WIDTH, BINS - 1).astype(np.int64)
    return np.bincount(bins, minlength=BINS)
