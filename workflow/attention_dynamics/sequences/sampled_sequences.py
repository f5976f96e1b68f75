"""Sequence classes with everything that training runs on them draw (Scan and snap, Section 8)."""

from typing import Literal

import numpy as np

from attention_dynamics.problems.problem import Shape
from attention_dynamics.sequences.classes import published_classes
from attention_dynamics.sequences.sampled import SampledSequences
from attention_dynamics.sequences.samples import draw
from attention_dynamics.types import Count, Seeds


def shape(
    *, num_last: Count, num_next_per_last: Count, seeds: Seeds, steps: Count, batch: Count = 128, length: Count = 128,
    draws: Literal["exact", "fast"] = "exact", start: Literal["zero", "uniform"] = "zero",
) -> Shape:  # fmt: skip
    """P = seeds. Raises ValueError for a seed that is listed twice, and for sequences without contextual tokens."""
    if len(set(seeds)) != len(seeds):
        raise ValueError(f"seeds: one is listed twice in {seeds}")
    if length < 2:
        raise ValueError(f"length: needs the query token and one before it, got {length}")
    M = published_classes(num_last=num_last, num_next_per_last=num_next_per_last).probabilities.shape[1]
    return Shape(len(seeds), batch, length, M, settings={"seed": seeds}, data="sequences", batches=steps)


def build(
    *, num_last: Count, num_next_per_last: Count, seeds: Seeds, steps: Count, batch: Count = 128, length: Count = 128,
    draws: Literal["exact", "fast"] = "exact", start: Literal["zero", "uniform"] = "zero",
) -> SampledSequences:  # fmt: skip
    """Batches for so many ``steps``; see ``sequences.classes.published_classes`` and ``sequences.samples.draw``.

    length: T, the query token included. draws: in the published order, or vectorised. start: Y(0) and Z(0).
    """
    classes = published_classes(num_last=num_last, num_next_per_last=num_next_per_last)
    drawn = [draw(classes, seed=s, steps=steps, batch=batch, T=length, mode=draws, start=start) for s in seeds]
    labels, counts, Y, Z = map(np.stack, zip(*drawn, strict=True))
    return SampledSequences(classes, labels, counts, Y, Z, {"seed": np.array(seeds, float)})
