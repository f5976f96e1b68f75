"""Sequence classes with random probabilities (Scan and snap, Section 5)."""

import numpy as np

from attention_dynamics.problems.source import ProblemSource
from attention_dynamics.sequences.token_classes import ClassesShape, TokenClasses
from attention_dynamics.types import ClassCount, Fraction, Seeds


class RandomClassesSource(ProblemSource, kind="random_classes"):
    """A problem for each seed: classes with one query token, whose P(l|n) are random numbers from 0.1 to 1, normalized.

    classes: number of classes. common: number of tokens that all classes have. distinct: number of tokens of each class
    that no other class has. overlap: inner product of f_n and f_m, the unit vectors along P(.|n) and P(.|m), for every
    two classes n and m. If it is set, the common tokens of a class are equally likely, as this inner product requires.
    """

    seeds: Seeds
    classes: ClassCount
    common: ClassCount
    distinct: ClassCount
    overlap: Fraction | None = None

    @property
    def shape(self) -> ClassesShape:
        return ClassesShape(problems=len(self.seeds), settings={"seed": self.seeds})

    def build(self) -> TokenClasses:
        weights = np.zeros((len(self.seeds), self.classes, self.common + self.classes * self.distinct))
        for row, seed in zip(weights, self.seeds, strict=True):
            drawn = np.random.default_rng(seed).uniform(0.1, 1, (self.classes, self.common + self.distinct))
            row[:, : self.common] = drawn[:, : self.common]
            for n in range(self.classes):
                first = self.common + n * self.distinct
                row[n, first : first + self.distinct] = drawn[n, self.common :]
                if self.overlap is not None:
                    norm = np.linalg.norm(drawn[n, self.common :])
                    row[n, : self.common] = norm * np.sqrt(self.overlap / (1 - self.overlap) / self.common)
        return TokenClasses.of(weights, [0] * self.classes, {"seed": np.array(self.seeds, float)})
