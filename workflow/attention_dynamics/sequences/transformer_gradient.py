"""Gradient of the one-layer transformer on sequence classes (Scan and snap, eqs. 1 to 4), and steps against it.

A sequence is stored as counts of tokens. A sample has only the C common and D distinct tokens of its class. Training
moves only the rows of Y that belong to contextual tokens, and the rows of Z that belong to query tokens. So no one-hot
vectors are formed, and a sample needs only C + D rows of Y, and C + D entries of the row of Z for its query token.
"""

from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.sequences.classes import SequenceClasses, Tokens

# Arrays in single or double precision.
Floats = NDArray[Any]


class Gradient(NamedTuple):
    """Loss of a batch, and its gradient with respect to the rows of Y and Z that training can move.

    loss: (pairs of learning rates,), mean cross-entropy in nats. Y: (pairs, contextual tokens, M). Z: (pairs, query
    tokens, M).
    """

    loss: Floats
    Y: Floats
    Z: Floats


def gradient(data: SequenceClasses, Y: Floats, Z: Floats, classes: Tokens, counts: Floats) -> Gradient:
    """Return the loss of one batch and its gradient in Y and Z, for several pairs of weights at once.

    Y: (pairs, contextual tokens, M); Z: (pairs, query tokens, M); classes: (batch,); counts: (batch, C + D).
    In a sample with n_l tokens l and weights w_l = n_l exp(z_l), the paper's LN(X' b) is f = w / |w|, because the norm
    |X' b| cancels. The gradient with respect to z is f (g - <f, g> f) with g = Y (α - x_{T+1}). Eq. 3 is minus the
    gradient.
    """
    order = np.argsort(classes, kind="stable")
    classes, counts = classes[order], counts[order].astype(Y.dtype)
    K, batch, C = len(data.support), len(classes), len(data.common)
    parts = [slice(*ends) for ends in pairwise(np.searchsorted(classes, np.arange(K + 1)))]

    z = Z[:, data.query_index[:, None], data.support]
    f = counts * np.exp(z - z.max(-1, keepdims=True))[:, classes]
    f /= np.sqrt(np.vecdot(f, f))[..., None]
    losses = np.empty((len(Y), batch), Y.dtype)
    g, in_Y, in_Z = np.empty_like(f), np.zeros_like(Y), np.zeros_like(Z)
    in_common = np.zeros((len(Y), C, Y.shape[2]), Y.dtype)
    # The loop goes class by class, because arrays for all classes at once do not fit into the cache.
    for n, part in enumerate(parts):
        if part.start == part.stop:
            continue
        rows = Y[:, data.support[n]]
        logits = f[:, part] @ rows
        logits -= logits.max(-1, keepdims=True)
        chosen = logits[..., data.next[n]].copy()
        residual = np.exp(logits, out=logits)
        total = residual.sum(-1)
        losses[:, part] = np.log(total) - chosen
        residual /= batch * total[..., None]
        residual[..., data.next[n]] -= 1 / batch
        np.matmul(residual, rows.mT, out=g[:, part])
        in_rows = f[:, part].mT @ residual
        in_common += in_rows[:, :C]
        in_Y[:, data.distinct[n]] = in_rows[:, C:]
    in_Y[:, data.common] = in_common
    pull = _one_hot(classes, K, Y.dtype) @ (f * (g - np.vecdot(f, g)[..., None] * f))
    in_Z[..., data.common] = _one_hot(data.query_index, Z.shape[1], Z.dtype) @ pull[..., :C]
    in_Z[:, data.query_index[:, None], data.distinct] = pull[..., C:]
    return Gradient(losses.mean(-1), in_Y, in_Z)


def _one_hot(labels: Tokens, count: int, dtype: np.dtype[Any]) -> Floats:
    """Return the matrix A, (count, labels), with A[k, i] = 1 if labels[i] = k, else 0: A @ rows sums rows by label."""
    return np.equal(labels, np.arange(count)[:, None]).astype(dtype)


class Rule(Protocol):
    """Optimizer that changes one matrix, the parameter, in place."""

    def __init__(self, parameter: Floats, step_size: Floats) -> None: ...

    def step(self, gradient: Floats) -> None:
        """Take one step. gradient: an array of the shape of the parameter."""


class Momentum:
    """torch.optim.SGD with momentum 0.9, in place: v <- 0.9 v + g, p <- p - step_size v (Scan and snap, Section 8)."""

    def __init__(self, parameter: Floats, step_size: Floats) -> None:
        self.parameter, self.step_size, self.velocity = parameter, step_size, np.zeros_like(parameter)

    def step(self, gradient: Floats) -> None:
        """Take one step. gradient: an array of the shape of the parameter."""
        self.velocity *= 0.9
        self.velocity += gradient
        self.parameter -= self.step_size * self.velocity


class Adam:
    """torch.optim.Adam with its defaults, beta = (0.9, 0.999) and epsilon = 1e-8, in place (Scan and snap, Fig 5)."""

    def __init__(self, parameter: Floats, step_size: Floats) -> None:
        self.parameter, self.step_size, self.steps = parameter, step_size, 0
        self.mean, self.square = np.zeros_like(parameter), np.zeros_like(parameter)

    def step(self, gradient: Floats) -> None:
        """Take one step. gradient: an array of the shape of the parameter."""
        self.steps += 1
        self.mean += (1 - 0.9) * (gradient - self.mean)
        self.square *= 0.999
        self.square += (1 - 0.999) * np.square(gradient)
        size = np.sqrt(self.square) / (1 - 0.999**self.steps) ** 0.5 + 1e-8
        self.parameter -= self.step_size / (1 - 0.9**self.steps) * self.mean / size


OPTIMIZERS: dict[str, type[Rule]] = {"sgd": Momentum, "adam": Adam}
