"""Training on the population: gradient ascent on the expected log-likelihood of infinitely long sequences.

The gradients are those of Lemmas 1 and 2 of Scan and snap. Every step uses all classes with their exact c_n, without
sampling or momentum. Here Y and Z are trained together; ``token_dynamics`` solves for Z with a given speed gamma.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy  # Not scipy.special: SciPy loads it on first use, and reading a configuration does not need it.
from numpy.typing import ArrayLike

from attention_dynamics.problems.arrays import check_increasing, takes_arrays
from attention_dynamics.problems.problem import Array
from attention_dynamics.theory.argument_checks import require_above
from attention_dynamics.theory.token_dynamics import attended, attention_gradient, by_query, check_classes


class PopulationTraining(NamedTuple):
    """Trajectory of the training for each pair of learning rates. step: (S,), the recorded steps.

    z: (S, pairs, Q, M), the attention logits of M tokens for Q query tokens. Y: (S, pairs, M, M), the decoder, with a
    row per token and a column per next token. loss: (S, pairs), the mean cross-entropy in nats.
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

    P: (K, M) and queries: (K,) as in ``token_dynamics``. eta_Y, eta_Z: (pairs,) each, or one number for all pairs.
    The decoder's softmax is over all M tokens. The last K tokens are the next tokens of the classes, and the Q tokens
    before them are the query tokens. In a step, the gradient of each class is multiplied by eta / K.
    record_steps: the steps to record, in increasing order; training ends at the last one.
    residual: add a residual connection (Section 7). The decoder then reads c_n plus the one-hot query token, divided by
    the norm of the sum, instead of c_n / |c_n|.
    Raises ValueError for invalid P or queries (see ``check_classes``), learning rates that are not positive, and steps
    that do not increase.
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
