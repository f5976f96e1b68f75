"""Sequence classes with given probabilities (Scan and snap, Section 3.2)."""

from typing import Annotated, Self

import numpy as np
from annotated_types import MinLen
from pydantic import model_validator
from pydantic.types import Strict

from attention_dynamics.problems.source import ProblemSource
from attention_dynamics.sequences.token_classes import ClassesShape, TokenClasses
from attention_dynamics.types import Indices, NonNegatives

Rows = Annotated[tuple[NonNegatives, ...], Strict(False), MinLen(2)]


class WeightedClassesSource(ProblemSource, kind="weighted_classes"):
    """One problem with given classes. weights: a list for each class: P(l|n) of every contextual token, up to a factor.

    queries: for each class, the index of its query token among the query tokens, from 0.
    """

    weights: Rows
    queries: Indices

    @model_validator(mode="after")
    def _check_classes(self) -> Self:
        if len({len(row) for row in self.weights}) > 1 or not all(map(any, self.weights)):
            raise ValueError("weights: needs lists of the same length, each with a positive number")
        if len(self.queries) != len(self.weights) or {*self.queries} != {*range(max(self.queries) + 1)}:
            raise ValueError(
                f"queries: needs one query for each of {len(self.weights)} classes, numbered from 0 without gaps"
            )
        return self

    @property
    def shape(self) -> ClassesShape:
        return ClassesShape()

    def build(self) -> TokenClasses:
        return TokenClasses.of(np.array([self.weights]), self.queries)
