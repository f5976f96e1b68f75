"""Sequence classes with any probabilities, for the theory's infinitely long sequences (Scan and snap, Section 3.2)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.problems.arrays import own_arrays, takes_arrays
from attention_dynamics.problems.problem import Array
from attention_dynamics.problems.shape import Shape


@dataclass(frozen=True)
class TokenClasses:
    """P problems, each with K classes of sequences over M tokens.

    Tokens are numbered in this order: contextual tokens, query tokens, next tokens of the classes.

    probabilities: (P, K, M), P(l|n). queries: (K,), index of each class's query token among the query tokens.
    settings: name -> (P,), what varies between the problems.
    """

    KIND: ClassVar[str] = "classes"

    probabilities: Array
    queries: NDArray[np.int64]
    settings: dict[str, Array] = field(default_factory=dict)

    def __post_init__(self) -> None:
        own_arrays(self)

    @classmethod
    @takes_arrays()
    def of(cls, weights: Array, queries: Sequence[int], settings: dict[str, Array] | None = None) -> Self:
        """Return the classes whose P(l|n) are proportional to ``weights``, (P, K, contextual tokens).

        queries, settings: as in the description of the class.
        """
        shares = weights / weights.sum(-1, keepdims=True)
        others = len(set(queries)) + len(queries)
        return cls(np.pad(shares, ((0, 0), (0, 0), (0, others))), np.array(queries), settings or {})

    @property
    def contextual(self) -> int:
        """The number of contextual tokens."""
        return self.probabilities.shape[2] - len(self.queries) - len(set(self.queries.tolist()))

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return named arrays for the store."""
        arrays = {"kind": np.array(self.KIND), "probabilities": self.probabilities, "queries": self.queries}
        return arrays | {f"settings/{name}": values for name, values in self.settings.items()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Return the classes from the arrays that ``to_arrays`` returned."""
        settings = {name.partition("/")[2]: array for name, array in arrays.items() if name.startswith("settings/")}
        return cls(arrays["probabilities"], arrays["queries"], settings)


@dataclass(frozen=True, kw_only=True)
class ClassesShape(Shape):
    """Size of ``TokenClasses``."""

    data: ClassVar[str] = "classes"
