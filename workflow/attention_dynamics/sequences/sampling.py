"""Random initial weights and batches for training on sequence classes (Scan and snap, Section 8)."""

import math
import random
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.sequences.classes import SequenceClasses
from attention_dynamics.sequences.sampled import Samples

# Largest number of tokens in a sample, because the counts of all but the query token are stored in 16 bits.
MAX_LENGTH = 2**16


def draw(
    data: SequenceClasses, *, seed: int, steps: int, batch: int = 128, T: int = 128,
    mode: Literal["exact", "fast"] = "exact", start: Literal["zero", "uniform"] = "zero",
) -> Samples:  # fmt: skip
    """Draw the initial weights Y and Z, and ``batch`` samples for each step.

    A sample is a class n, drawn uniformly, and T - 1 tokens, drawn from P(l|n).
    T: length of a sample with its query, which is the T-th token. mode: "exact" or "fast". In both, a larger ``steps``
        appends samples and leaves the earlier ones as they are, and the global generators are not used.
        "exact" draws the numbers of the published code. Python's generator, with this seed, draws the classes. Torch's
        generator, with seed + 2, draws Y and Z, even if the start is zero, and then the tokens, in single precision.
        "fast" uses NumPy, with independent streams for weights, classes and tokens. The streams depend on the seed, the
        number of queries and the number of classes.
    start: "zero" is Y(0) = Z(0) = 0. "uniform" draws the entries uniformly from [-1/sqrt(M), 1/sqrt(M)] for a
        vocabulary of M tokens, as torch's linear layers do by default.
    Raises ValueError for sizes out of range and for any other mode or start.
    """
    if seed < 0 or steps < 0 or batch < 1 or T < 2:
        raise ValueError(
            f"seed, steps, batch and T: must be at least 0, 0, 1 and 2, got {seed}, {steps}, {batch} and {T}"
        )
    if T > MAX_LENGTH:
        raise ValueError(f"T: must be at most {MAX_LENGTH}, got {T}")
    if mode not in MODES or start not in ("zero", "uniform"):
        raise ValueError(f"mode must be one of {', '.join(MODES)}, start zero or uniform, got {mode!r} and {start!r}")
    Y, Z, classes, counts = MODES[mode](data, seed, steps, batch, T - 1)
    scale = 1.0 if start == "uniform" else 0.0
    return Samples(classes, counts.astype(np.uint16), scale * Y[: data.contextual], scale * Z[data.queries])


def _exact(data: SequenceClasses, seed: int, steps: int, batch: int, length: int) -> tuple[NDArray[Any], ...]:
    import torch  # Imported here, because importing takes more than a second and "fast" does not need it.

    generator, python = torch.Generator().manual_seed(seed + 2), random.Random(seed)  # noqa: S311 (not cryptography)
    K, M = data.probabilities.shape
    bound = 1 / math.sqrt(M)
    # In the published code, the first linear layer has the transpose of Y as its matrix, and the second layer has Z.
    Y, Z = (torch.empty(M, M).uniform_(-bound, bound, generator=generator).double().numpy() for _ in range(2))
    probabilities = torch.tensor(data.support_probabilities, dtype=torch.float32)
    support = probabilities.shape[1]
    # The large array is allocated before the long loops, so that a lack of memory shows at once.
    counts, offsets = np.empty((steps, batch, support), np.uint16), support * np.arange(batch)[:, None]
    classes = np.array([python.choice(range(K)) for _ in range(steps * batch)], dtype=np.int64).reshape(steps, batch)
    for step in range(steps):
        # One call for all samples draws the same numbers as a call for each sample would.
        tokens = torch.multinomial(probabilities[classes[step]], length, replacement=True, generator=generator)
        counts[step] = np.bincount((tokens.numpy() + offsets).ravel(), minlength=batch * support).reshape(batch, -1)
    return Y.T, Z, classes, counts


def _fast(data: SequenceClasses, seed: int, steps: int, batch: int, length: int) -> tuple[NDArray[Any], ...]:
    K, M = data.probabilities.shape
    streams = np.random.SeedSequence(seed, spawn_key=(len(data.queries), K)).spawn(3)
    weights, labels, tokens = map(np.random.default_rng, streams)
    Y, Z = weights.uniform(-1, 1, (2, M, M)) / math.sqrt(M)
    classes = labels.integers(K, size=(steps, batch))
    return Y, Z, classes, tokens.multinomial(length, data.support_probabilities[classes])


MODES = {"exact": _exact, "fast": _fast}
