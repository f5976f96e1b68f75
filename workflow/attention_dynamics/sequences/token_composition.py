"""Measures of attention on sequence classes: token composition, its entropy, and recall (Scan and snap)."""

import numpy as np
import scipy  # Importing scipy.special here would slow down the reading of configurations. It loads on first use.
from numpy.typing import ArrayLike

from attention_dynamics.problems.arrays import takes_arrays
from attention_dynamics.problems.problem import Array
from attention_dynamics.sequences.classes import SequenceClasses


@takes_arrays()
def composition(data: SequenceClasses, Z: Array) -> Array:
    """Return c_n (eq. 5), (..., K, M): the share of each token in the attention in class n, in the limit of large T.

    Z: (..., query tokens, M).
    """
    logits = Z[..., data.query_index, :]
    with np.errstate(divide="ignore"):
        return scipy.special.softmax(logits + np.log(data.probabilities), axis=-1)


@takes_arrays()
def distinct_shares(data: SequenceClasses, c: Array) -> Array:
    """Return c_n on the distinct tokens of each class, scaled to the sum 1, (..., K, D). c: c_n, (..., K, M)."""
    own = np.take_along_axis(c, np.broadcast_to(data.distinct, (*c.shape[:-1], data.distinct.shape[1])), axis=-1)
    return own / own.sum(-1, keepdims=True)


@takes_arrays()
def distinct_entropy(data: SequenceClasses, c: Array) -> Array:
    """Return the entropy in nats, (..., K), of ``distinct_shares``."""
    return scipy.special.entr(distinct_shares(data, c)).sum(-1)


@takes_arrays()
def common_mass(data: SequenceClasses, c: Array) -> Array:
    """Return the sum of c_n, (..., K, M), over the common tokens, (..., K)."""
    return c[..., data.common].sum(-1)


@takes_arrays()
def recall(data: SequenceClasses, Z: Array, thresholds: ArrayLike) -> Array:
    """Return the recall of distinct tokens at each threshold, (..., thresholds), averaged over query tokens (Fig 11).

    Z: (..., query tokens, M), with rows z_m. A token is found if its probability in softmax(z_m), over all M tokens,
    exceeds the threshold. The recall of a query token is the share of its classes' distinct tokens that are found.
    Raises ValueError for other shapes of Z.
    """
    if Z.shape[-2:] != (expected := (len(data.queries), data.probabilities.shape[1])):
        raise ValueError(f"Z: need an array (..., query tokens = {expected[0]}, M = {expected[1]}), got {Z.shape}")
    probabilities = scipy.special.softmax(Z, axis=-1)
    # The mean over classes equals the mean over query tokens, because every query token has equally many classes.
    own = probabilities[..., data.query_index[:, None], data.distinct]
    return (own[..., None] > np.asarray(thresholds)).mean((-3, -2))
