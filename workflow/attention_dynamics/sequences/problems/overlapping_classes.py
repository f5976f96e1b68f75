"""Sequence classes whose vectors f_n have equal inner products (Scan and snap, Remark 1 and Assumption 2)."""

import numpy as np

from attention_dynamics.problems.source import ProblemSource
from attention_dynamics.sequences.token_classes import ClassesShape, TokenClasses
from attention_dynamics.types import ClassCount, Fraction


class OverlappingClassesSource(ProblemSource, kind="overlapping_classes"):
    """One problem: classes that share one query token.

    classes: number of classes. common: number of tokens that all classes have, equally likely. distinct: number of
    tokens of each class that no other class has, equally likely. overlap: inner product of f_n and f_m, the unit
    vectors along P(.|n) and P(.|m), for every two classes n and m.
    """

    classes: ClassCount
    common: ClassCount
    distinct: ClassCount
    overlap: Fraction

    @property
    def shape(self) -> ClassesShape:
        return ClassesShape()

    def build(self) -> TokenClasses:
        weights = np.zeros((self.classes, self.common + self.classes * self.distinct))
        weights[:, : self.common] = np.sqrt(self.distinct / self.common * self.overlap / (1 - self.overlap))
        for n in range(self.classes):
            first = self.common + n * self.distinct
            weights[n, first : first + self.distinct] = 1
        return TokenClasses.of(weights[None], [0] * self.classes)
