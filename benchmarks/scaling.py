"""Training and certified SVMs of many random problems, a thousand at a time, in a process of their own."""

import multiprocessing
import resource
from functools import partial
from typing import NamedTuple

import numpy as np
from machine import cpu_seconds
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from attention_dynamics.attention.gram_training import gram_matrices, train_in_span
from attention_dynamics.margins.attention_svm import attention_svm
from attention_dynamics.margins.max_margin import Infeasible
from attention_dynamics.margins.token_solution import TokenSolution

AT_ONCE, SVMS = 1000, 5000
HEAD = ["n, T, d", "trials", "Gram matrices, ms", "training, ms", "SVM, ms", "peak memory so far, MiB"]
# Peak memory never falls, so the runs in increasing order of memory come first.
RUNS = [
    *((4, 6, 100, trials) for trials in (1000, 10_000, 100_000)),
    *((4, 6, d, 1000) for d in (2, 10, 500, 2000)),
    *((n, T, 100, 200) for n, T in ((2, 3), (6, 8), (8, 12), (12, 16))),
]


class Trials(NamedTuple):
    """Axes: tokens, which are the keys too, (P, n, T, d); labels (P, n); heads (P, d); scores (P, n, T)."""

    tokens: NDArray
    labels: NDArray
    heads: NDArray
    scores: NDArray


def draw(trials: int, n: int, T: int, d: int, seed: int) -> Trials:
    """Draw tokens and head from the unit sphere of R^d, and labels by coin toss, as in Max-margin Fig 9."""
    rng = np.random.default_rng(seed)
    points = rng.standard_normal((trials, n * T + 1, d))
    points /= np.linalg.norm(points, axis=-1, keepdims=True)
    labels, heads = rng.choice([-1.0, 1.0], (trials, n)), points[:, -1]
    tokens = points[:, :-1].reshape(trials, n, T, d)
    return Trials(tokens, labels, heads, labels[..., None] * (tokens @ heads[:, None, :, None])[..., 0])


def run(n: int, T: int, d: int, trials: int, steps: int) -> list[str]:
    """Return one row of the table; SVMs of the first SVMS trials."""
    train_in_span(np.eye(n * T)[None], np.zeros((1, n, T)), steps=1, step_size=1.0)
    products = training = svms = 0.0
    with threadpool_limits(1):
        for first in range(0, trials, AT_ONCE):
            drawn = draw(min(AT_ONCE, trials - first), n, T, d, first)
            seconds, gram = cpu_seconds(partial(gram_matrices, drawn.tokens))
            products += seconds
            seconds, trained = cpu_seconds(partial(train_in_span, gram, drawn.scores, steps=steps, step_size=1.0))
            training += seconds
            if first < SVMS:
                svms += cpu_seconds(partial(separate, drawn.tokens, trained.logits))[0]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    each = (products / trials, training / trials, svms / min(trials, SVMS))
    return [f"{n}, {T}, {d}", f"{trials:,}", *(f"{1000 * x:.3f}" for x in each), f"{peak:.0f}"]


def separate(keys: NDArray, logits: NDArray) -> list[TokenSolution | Infeasible]:
    """Solve the certified ATT-SVM of every trial's selected tokens."""
    return [attention_svm(K, z.argmax(-1)) for K, z in zip(keys, logits, strict=True)]


def table(steps: int) -> list[list[str]]:
    """Return the rows of all RUNS, one after the other, in a process of their own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return [pool.apply(run, (*sizes, steps)) for sizes in RUNS]
