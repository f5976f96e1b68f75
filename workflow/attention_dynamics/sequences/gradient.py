"""Training of the one-layer transformer on sequence classes, in counts of tokens (Scan and snap, eqs. 1 to 4).

A sample has no more than the C + D contextual tokens of its class, and training moves no other rows of Y and of Z than
those of contextual and of query tokens. So neither one-hot sequences nor the whole of Y' f and Z x are ever formed.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_dynamics.training import NumericalFailure
from attention_dynamics.sequences.classes import SequenceClasses, Tokens
from attention_dynamics.sequences.sampled import Samples


class Gradient(NamedTuple):
    """loss: (combos,), mean cross-entropy in nats. Y: (combos, contextual tokens, M), Z: (combos, query tokens, M)."""

    loss: NDArray
    Y: NDArray
    Z: NDArray


def gradient(data: SequenceClasses, Y: NDArray, Z: NDArray, classes: Tokens, counts: NDArray) -> Gradient:
    """Loss of one batch and its gradient in Y and Z, for several pairs of weights at once; minus eq. 3 of the paper.

    Y: (combos, contextual tokens, M); Z: (combos, query tokens, M); classes: (batch,); counts: (batch, C + D).
    With weights w_l = n_l exp(z_l) on the class's support, LN(X' b) is f = w / |w|. The gradient in z is
    f (g - <f, g> f) with g = Y (α - x_{T+1}), the norm |X' b| having cancelled.
    """
    order = np.argsort(classes, kind="stable")
    classes, counts = classes[order], counts[order].astype(Y.dtype)
    K, batch, C = len(data.support), len(classes), len(data.common)
    parts = [slice(*ends) for ends in pairwise(np.searchsorted(classes, np.arange(K + 1)))]
    target = (slice(None), np.arange(batch), data.next[classes])

    rows = np.take(Y, data.support, axis=1)
    z = Z[:, data.query_index[:, None], data.support]
    f = counts * np.exp(z - z.max(-1, keepdims=True))[:, classes]
    f /= np.sqrt(np.vecdot(f, f))[..., None]
    logits = np.empty((len(Y), batch, Y.shape[2]), Y.dtype)
    for n, part in enumerate(parts):
        np.matmul(f[:, part], rows[:, n], out=logits[:, part])
    logits -= logits.max(-1, keepdims=True)
    chosen = logits[target]
    residual = np.exp(logits, out=logits)
    total = residual.sum(-1)
    loss = (np.log(total) - chosen).mean(-1)
    residual /= batch * total[..., None]
    residual[target] -= 1 / batch

    by_class, g = np.empty_like(rows), np.empty_like(f)
    for n, part in enumerate(parts):
        np.matmul(residual[:, part], rows[:, n].swapaxes(1, 2), out=g[:, part])
        np.matmul(f[:, part].swapaxes(1, 2), residual[:, part], out=by_class[:, n])
    pull = _one_hot(classes, K, Y.dtype) @ (f * (g - np.vecdot(f, g)[..., None] * f))
    in_Y, in_Z = np.empty_like(Y), np.zeros_like(Z)
    in_Y[:, data.common], in_Y[:, data.distinct] = by_class[:, :, :C].sum(1), by_class[:, :, C:]
    in_Z[..., data.common] = _one_hot(data.query_index, Z.shape[1], Z.dtype) @ pull[..., :C]
    in_Z[:, data.query_index[:, None], data.distinct] = pull[..., C:]
    return Gradient(loss, in_Y, in_Z)


def _one_hot(labels: Tokens, count: int, dtype: np.dtype) -> NDArray:
    """(count, labels): multiplied with rows, their sums over equal labels."""
    return (labels == np.arange(count)[:, None]).astype(dtype)


class Momentum:
    """torch.optim.SGD with momentum 0.9, in place: v <- 0.9 v + g, p <- p - step_size v (Scan and snap, Section 8)."""

    def __init__(self, parameter: NDArray, step_size: NDArray) -> None:
        self.parameter, self.step_size, self.velocity = parameter, step_size, np.zeros_like(parameter)

    def step(self, gradient: NDArray) -> None:
        """One step; gradient: shape of the parameter."""
        self.velocity *= 0.9
        self.velocity += gradient
        self.parameter -= self.step_size * self.velocity


class Adam:
    """torch.optim.Adam with its defaults, beta = (0.9, 0.999) and epsilon = 1e-8, in place (Scan and snap, Fig 5)."""

    def __init__(self, parameter: NDArray, step_size: NDArray) -> None:
        self.parameter, self.step_size, self.steps = parameter, step_size, 0
        self.mean, self.square = np.zeros_like(parameter), np.zeros_like(parameter)

    def step(self, gradient: NDArray) -> None:
        """One step; gradient: shape of the parameter."""
        self.steps += 1
        self.mean += (1 - 0.9) * (gradient - self.mean)
        self.square *= 0.999
        self.square += (1 - 0.999) * np.square(gradient)
        size = np.sqrt(self.square) / (1 - 0.999**self.steps) ** 0.5 + 1e-8
        self.parameter -= self.step_size / (1 - 0.9**self.steps) * self.mean / size


OPTIMIZERS = {"sgd": Momentum, "adam": Adam}


def train(
    data: SequenceClasses, samples: Samples, *, eta_Y: ArrayLike, eta_Z: ArrayLike, recorded: Sequence[int],
    observed: Sequence[str] = ("Y", "Z"), optimizer: Literal["sgd", "adam"] = "sgd",
    precision: Literal["float64", "float32"] = "float64",
) -> dict[str, NDArray]:  # fmt: skip
    """Train on the samples' batches, one after the other, with every pair of step sizes side by side.

    eta_Y, eta_Z: step sizes of the two matrices, (combos,) or a number for all. observed: which of them to record.
    recorded: the numbers of steps taken at which to record, in increasing order; training ends with the last of them.
    Returns "step", (records,), "loss", (steps, combos), in nats, of every batch before the step that it leads to, and
    what is observed: "Y", (records, combos, contextual tokens, M), "Z", (records, combos, query tokens, M).
    Raises ValueError for steps, step sizes or names that do not fit, and NumericalFailure, naming step and combo,
    where a loss is not finite.
    """
    if optimizer not in OPTIMIZERS or precision not in ("float64", "float32") or not set(observed) <= {"Y", "Z"}:
        raise ValueError(f"optimizer, precision or observed unknown: {optimizer!r}, {precision!r}, {list(observed)}")
    at, available = np.array(recorded, dtype=np.int64), len(samples.classes)
    if not len(at) or at[0] < 0 or (np.diff(at) <= 0).any() or at[-1] > available:
        raise ValueError(f"recorded: need increasing steps from 0 to {available}, got {list(recorded)}")
    sizes = np.stack(np.broadcast_arrays(np.atleast_1d(eta_Y), eta_Z)).astype(precision)[..., None, None]
    combos = sizes.shape[1]
    weights = {name: np.tile(getattr(samples, name).astype(precision), (combos, 1, 1)) for name in ("Y", "Z")}
    rules = {name: OPTIMIZERS[optimizer](weights[name], size) for name, size in zip(weights, sizes, strict=True)}
    history = {name: np.empty((len(at), *weights[name].shape), precision) for name in observed}
    loss = np.empty((at[-1], combos), precision)
    for t in range(at[-1] + 1):
        for name, values in history.items():
            values[at == t] = weights[name]
        if t < at[-1]:
            with np.errstate(over="ignore", invalid="ignore"):
                descent = gradient(data, **weights, classes=samples.classes[t], counts=samples.counts[t])
                loss[t] = descent.loss
                if not np.isfinite(loss[t]).all():
                    what = f"loss is not finite at step {t} (combo {np.isfinite(loss[t]).argmin()})"
                    before = {name: values[at <= t] for name, values in history.items()}
                    raise NumericalFailure(what, {"step": at[at <= t], "loss": loss[:t], **before})
                for name, rule in rules.items():
                    rule.step(getattr(descent, name))
    return {"step": at, "loss": loss, **history}
