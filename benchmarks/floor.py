"""Parts of the time of a training step, and lower bounds from the machine's arithmetic and memory rates."""

from collections.abc import Callable
from functools import partial

import numba
import numpy as np
from machine import Rates, cpu_seconds
from numpy.typing import NDArray

from attention_dynamics.attention import gram_training
from attention_dynamics.attention.gram_training import LANES

# Additions and multiplications of one exponential, and of all other work for one token.
PER_EXPONENTIAL, PER_TOKEN = 34, 20
HEAD = [
    "n, T", "operations", "exponentials", "Gram, bytes", "arithmetic at best, ns", "Gram at the copy rate, ns",
    "measured, ns", "over the floor", "product, ns", "exponentials, ns", "other weights, ns", "norm and update, ns",
]  # fmt: skip


@numba.njit
def _weights_only(weigh: Callable, steps: int, scores: NDArray, logits: NDArray, weights: NDArray) -> None:
    factor = np.empty(LANES)
    for _ in range(steps):
        weigh(scores, logits, weights, factor)


@numba.njit
def _products_only(multiply: Callable, steps: int, gram: NDArray, weights: NDArray, pulled: NDArray) -> None:
    row = np.empty(len(weights))
    for _ in range(steps):
        multiply(gram, weights, row, pulled)


@numba.njit(error_model="numpy")
def _exponentials_only(exp: Callable, steps: int, points: NDArray, values: NDArray) -> None:
    for _ in range(steps):
        for j in range(len(points)):
            for lane in range(LANES):
                values[j, lane] = exp(points[j, lane])


def split(keys: NDArray, scores: NDArray, rates: Rates, steps: int = 1000, repeats: int = 15) -> list[str]:
    """Return one row of the table, for the first LANES problems of keys (P, n, T, d) and scores (P, n, T)."""
    _, n, T = scores.shape
    gram, scores = gram_training.gram_matrices(keys[:LANES]), scores[:LANES]
    size, exponentials = n * T, n * T + n + 1

    trained = gram_training.train_in_span(gram, scores, steps=50, step_size=1.0)
    lanes = [np.ascontiguousarray(np.moveaxis(a, 0, -1)) for a in (scores, trained.logits, trained.logits)]
    points = -np.random.default_rng(0).uniform(0, 300, (exponentials, LANES))
    multiply, flat = gram_training._multiplication(size), lanes[0].reshape(size, LANES)
    kernels = (
        lambda count: gram_training.train_in_span(gram, scores, steps=count, step_size=1.0),
        lambda count: _products_only(multiply, count, gram, flat, np.empty_like(flat)),
        lambda count: _weights_only(gram_training._stable_weights, count, *lanes),
        lambda count: _exponentials_only(gram_training._exp, count, points, np.empty_like(points)),
    )
    for kernel in kernels:
        kernel(1)
    # In turns, so that other load of the machine affects all of them.
    turns = [[cpu_seconds(partial(kernel, steps))[0] for kernel in kernels] for _ in range(repeats)]
    total, product, weights, exps = np.median(turns, axis=0) / (steps * LANES) * 1e9

    operations = 2 * size**2 + PER_EXPONENTIAL * exponentials + PER_TOKEN * size
    arithmetic, traffic = operations / rates.flops * 1e9, 8 * size**2 / rates.cache * 1e9
    numbers = (arithmetic, traffic, total, total / max(arithmetic, traffic))
    parts = (product, exps, weights - exps, total - product - weights)
    return [
        f"{n}, {T}",
        f"{operations}",
        f"{exponentials}",
        f"{8 * size**2}",
        *(f"{x:.3g}" for x in (*numbers, *parts)),
    ]
