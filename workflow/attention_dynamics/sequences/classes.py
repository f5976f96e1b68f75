"""Classes of sequences: tokens that all classes share, and tokens of a single class (Scan and snap, Section 3.2)."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.problems.arrays import own_arrays
from attention_dynamics.problems.problem import Array
from attention_dynamics.types import Count

Tokens = NDArray[np.int64]
# Number of common tokens, and number of distinct tokens of each class, in the published classes.
COMMON, DISTINCT = 10, 10
MAX_CLASSES = 1000


@dataclass(frozen=True)
class SequenceClasses:
    """K sequence classes (P(l|n), query token ψ(n), next token), over a vocabulary of M tokens.

    The contextual tokens have the lowest numbers: first the common tokens, then the distinct tokens class by class.

    probabilities: (K, M), P(l|n), zero for all but the common tokens and the distinct tokens of class n.
    query: (K,), the last token m = ψ(n) of class n, which several classes may share. next: (K,), the token to predict.
    distinct: (K, D), the tokens that only class n has. common: (C,), the tokens that every class has.
    """

    probabilities: Array
    query: Tokens
    next: Tokens
    distinct: Tokens
    common: Tokens

    def __post_init__(self) -> None:
        own_arrays(self)

    @cached_property
    def support(self) -> Tokens:
        """(K, C + D), the contextual tokens of each class, in increasing order."""
        return np.hstack([np.tile(self.common, (len(self.distinct), 1)), self.distinct])

    @cached_property
    def support_probabilities(self) -> Array:
        """(K, C + D), P(l|n) on the support."""
        return np.take_along_axis(self.probabilities, self.support, axis=1)

    @cached_property
    def queries(self) -> Tokens:
        """The query tokens, each once, in increasing order."""
        return np.unique(self.query)

    @cached_property
    def query_index(self) -> Tokens:
        """(K,), the index in ``queries`` of each class's query token."""
        return np.searchsorted(self.queries, self.query)

    @property
    def contextual(self) -> int:
        """The number of contextual tokens."""
        return len(self.common) + self.distinct.size

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return named arrays for the store."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Return the classes from the arrays that ``to_arrays`` returned."""
        return cls(**arrays)


def published_classes(*, num_last: Count, num_next_per_last: Count) -> SequenceClasses:
    """Return the published classes: K = num_last num_next_per_last classes, M = 10 + 10 K + num_last + K tokens.

    Up to a common factor, P(l|n) is 1 for the 10 common tokens and 0.1, 0.2, ..., 1 for the 10 distinct tokens.
    Tokens are numbered in the order contextual, query, next. Class n has query token n // num_next_per_last.
    Raises ValueError for a count below 1, and for more than 1000 classes, whose probabilities would fill the memory.
    """
    if min(num_last, num_next_per_last) < 1:
        raise ValueError(f"num_last and num_next_per_last: need 1 or more, got {num_last} and {num_next_per_last}")
    K = num_last * num_next_per_last
    if K > MAX_CLASSES:
        raise ValueError(f"num_last and num_next_per_last: {K} classes are too many (at most {MAX_CLASSES})")
    contextual = COMMON + DISTINCT * K
    distinct = np.arange(COMMON, contextual).reshape(K, DISTINCT)
    probabilities = np.zeros((K, contextual + num_last + K))
    probabilities[:, :COMMON] = 1.0
    np.put_along_axis(probabilities, distinct, np.linspace(0.1, 1.0, DISTINCT)[None], axis=1)
    probabilities /= probabilities.sum(-1, keepdims=True)
    query = contextual + np.arange(K) // num_next_per_last
    return SequenceClasses(probabilities, query, contextual + num_last + np.arange(K), distinct, np.arange(COMMON))
