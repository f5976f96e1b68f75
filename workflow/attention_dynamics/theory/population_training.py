"""Training on the population: gradient ascent on the expected log-likelihood of infinitely long sequences.

Lemmas 1 and 2 of Scan and snap with the true c_n and every class in every step: no sampling, no momentum. Y and Z learn
at the same time, unlike in the differential equation of the theory (``token_dynamics``).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy  # Its parts are loaded on first use: a configuration is read without them.
from numpy.typing import ArrayLike

from attention_dynamics.problems.arrays import check_increasing, takes_arrays
from attention_dynamics.problems.problem import Array
from attention_dynamics.theory.argument_checks import require_above
from attention_dynamics.theory.token_dynamics import attended, attention_gradient, by_query, check_classes


class PopulationTraining(NamedTuple):
    """Training at S recorded steps for each pair of learning rates. step: (S,).

    z: (S, learning rates, Q, M), the attention logits. Y: (S, learning rates, M, M), tokens by next tokens.
    loss: (S, learning rates), the mean cross-entropy in nats.
    """

    step: Array
    z: Array
    Y: Array
    loss: Array


@takes_arrays()
def train(
    P: Array,
    queries: Sequence[int],
    *,
    eta_Y: ArrayLike,
    eta_Z: ArrayLike,
    record_steps: Sequence[int],
    residual: bool = False,
) -> PopulationTraining:
    """Train on full batches from Y = Z = 0 with all K classes equally probable.

    P: (K, M) and queries: (K,) as in ``token_dynamics``. eta_Y, eta_Z: (learning rates,) each, or one for all.
    The softmax is over all M tokens. The last K are the next tokens of the classes; the Q before are the query tokens.
    Each class contributes with the factor eta / K to a step.
    record_steps: the steps to record, in increasing order; training ends at the last one.
    residual: with a residual connection (Section 7), the decoder reads the attended tokens plus the query token.
    Raises ValueError for bad P or queries, learning rates that are not positive, and steps that do not increase.
    """
    Q = check_classes(P, queries)
    K, M = P.shape
    check_increasing(record_steps)
    rates = np.broadcast_arrays(*(np.atleast_1d(rate) for rate in require_above(0.0, eta_Y=eta_Y, eta_Z=eta_Z)))
    rate_Y, rate_Z = (rate[:, None, None] / K for rate in rates)
    z, Y = np.zeros((len(rate_Y), Q, M)), np.zeros((len(rate_Y), M, M))
    target = np.eye(K, M, k=M - K)
    query = np.eye(M)[M - K - Q + np.asarray(queries)]
    records: list[tuple[Array, Array, Array]] = []
    for step in range(record_steps[-1] + 1):
        attention = attended(P, z, queries)
        if residual:
            c = attention / attention.sum(-1, keepdims=True)
            length = np.linalg.norm(c + query, axis=-1, keepdims=True)
            f = (c + query) / length
        else:
            f = attention
        alpha = scipy.special.softmax(f @ Y, axis=-1)
        if step == record_steps[len(records)]:
            records.append((z, Y, -np.log(alpha[:, range(K), range(M - K, M)]).mean(-1)))
        error = target - alpha
        g = error @ Y.swapaxes(1, 2)
        Y = Y + rate_Y * (f.swapaxes(1, 2) @ error)
        if residual:
            across = (g - f * (f * g).sum(-1, keepdims=True)) / length
            pull = c * (across - (c * across).sum(-1, keepdims=True))
        else:
            pull = attention_gradient(f, g)
        z = z + rate_Z * by_query(pull, queries, Q)
    return PopulationTraining(np.array(record_steps), *map(np.stack, zip(*records, strict=True)))
