"""Sequence classes with the random samples of training runs (Scan and snap, Section 8)."""

from typing import Literal, Self

import numpy as np
from pydantic import model_validator

from attention_dynamics.problems.source import ProblemSource
from attention_dynamics.sequences.classes import SequenceClasses, published_classes
from attention_dynamics.sequences.sampled import SampledSequences, SequenceShape
from attention_dynamics.sequences.sampling import MAX_LENGTH, draw
from attention_dynamics.types import Count, Seeds


class SampledSequencesSource(ProblemSource, kind="sampled_sequences"):
    """Random samples and initial weights (Scan and snap). Each seed gives one problem.

    Samples are sequences of the classes of ``published_classes``. num_last: number of query tokens. num_next_per_last:
    number of classes of each query token. steps: number of batches for each seed. batch: number of samples in a batch.
    length: T, number of tokens in a sample, the query token included.
    draws: "exact" repeats the random numbers of the published code; "fast" is vectorized.
    start: initial weights Y(0) and Z(0), zero or uniform (``sequences.sampling.draw``).
    """

    num_last: Count
    num_next_per_last: Count
    seeds: Seeds
    steps: Count
    batch: Count = 128
    length: Count = 128
    draws: Literal["exact", "fast"] = "exact"
    start: Literal["zero", "uniform"] = "zero"

    @model_validator(mode="after")
    def _check_samples(self) -> Self:
        if len(set(self.seeds)) != len(self.seeds):
            raise ValueError(f"seeds: a value is listed twice in {list(self.seeds)}")
        if self.length < 2:
            raise ValueError(f"length: must be at least 2, for the query and one token before it, got {self.length}")
        if self.length > MAX_LENGTH:
            raise ValueError(f"length: must be at most {MAX_LENGTH}, got {self.length}")
        return self

    @property
    def shape(self) -> SequenceShape:
        return SequenceShape(
            problems=len(self.seeds), settings={"seed": self.seeds}, batches=self.steps, batch=self.batch,
            length=self.length, vocabulary_size=self._classes.probabilities.shape[1],
        )  # fmt: skip

    def build(self) -> SampledSequences:
        classes, sizes = self._classes, {"steps": self.steps, "batch": self.batch, "T": self.length}
        samples = [draw(classes, seed=seed, **sizes, mode=self.draws, start=self.start) for seed in self.seeds]
        labels, counts, Y, Z = map(np.stack, zip(*samples, strict=True))
        return SampledSequences(classes, labels, counts, Y, Z, {"seed": np.array(self.seeds, float)})

    @property
    def _classes(self) -> SequenceClasses:
        return published_classes(num_last=self.num_last, num_next_per_last=self.num_next_per_last)
