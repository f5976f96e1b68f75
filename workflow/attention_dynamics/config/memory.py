"""Estimate of the memory of a run's jobs, from sizes that are known before anything is built."""

import math
from typing import Any

from attention_dynamics.problems.shape import Shape, TokenShape
from attention_dynamics.sequences.sampled import SequenceShape
from attention_dynamics.training import Training

# Bytes for each number in double precision: the number, a copy in another layout, and a number computed from it.
NUMBER_BYTES = 3 * 8
# Bytes for each count of a token, a 32-bit integer without copies.
COUNT_BYTES = 4
# Bytes for each weight of a network in single precision: weight, gradient, the two moments of Adam, and a checkpoint.
WEIGHT_BYTES = 5 * 4


def estimate_memory(shape: Shape, training: Training, jobs: int = 1) -> int:
    """Return an estimate of the bytes that the largest job of a run needs for its data.

    shape: sizes of the run's batch of problems. jobs: number of jobs into which the batch is divided. The estimate
    covers, for tokens: the data, the trajectory and the logits along it; for sequences: counts of tokens and weights;
    for networks: weights, and a number for each record, token of the vocabulary and sample. The estimate is rough: it
    distinguishes megabytes from terabytes, and ignores sizes that are unknown before the data are built.
    """
    problems = math.ceil(shape.problems / jobs)
    trajectories = problems * training.columns(shape)
    records = _records(training)
    if isinstance(shape, TokenShape):
        keys, tokens = shape.key_dimension or shape.dimension, shape.inputs * shape.tokens
        # Without p (``SelfAttention``), W is stored as a vector as long as a key; beside p it is a matrix.
        widths = {"p": keys, "v": shape.dimension, "W": keys**2 if "p" in training.parameters else keys}
        along = sum(widths.get(name, 0) for name in training.parameters) + tokens
        data = problems * tokens * (shape.dimension + keys) + shape.dimension**2
        # All coordinates of a problem are drawn, even if fewer are stored.
        data += tokens * int(max(shape.settings.get("d", (0,))))
        return NUMBER_BYTES * (data + records * trajectories * along)
    if isinstance(shape, SequenceShape):
        counts = problems * shape.batches * shape.batch * min(shape.length, shape.vocabulary_size)
        weights = shape.vocabulary_size**2 + records * shape.vocabulary_size + shape.batches
        return COUNT_BYTES * counts + NUMBER_BYTES * trajectories * weights
    width, mlp = (training.sizes.get(name) or 0 for name in ("dim", "mlp"))
    weights = training.sizes.get("depth", 1) * width * (4 * width + 2 * mlp)
    vocabulary, samples = _largest(training, "vocabulary"), _largest(training, "samples")
    return WEIGHT_BYTES * weights + NUMBER_BYTES * trajectories * (records + vocabulary + samples)


def _records(training: Any) -> int:
    """Return an estimate of the number of records that a training keeps, without listing them."""
    steps = getattr(training, "steps", None) or getattr(training, "epochs", 0)
    if (digits := getattr(training, "record_digits", None)) is not None:
        return min(steps, 10**digits * len(str(steps)))
    if hasattr(training, "record_every"):
        return int(steps // training.record_every + 2)
    return max(_largest(training, "points"), len(getattr(training, "radii", ())) + 1)


def _largest(training: Training, name: str) -> int:
    """Return the value of a setting, the largest one if it is a list, or 0 for a training without it."""
    value: int | tuple[int, ...] = getattr(training, name, 0)
    return max(value, default=0) if isinstance(value, tuple) else value
