"""What every kind of problem produces: a batch of labelled token sequences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Shape(NamedTuple):
    """What is known of a batch of problems before it is built.

    P, n, T, d; whether the head is fixed; the values of the settings that vary; whether all but the first two
    coordinates of the keys are zero; the dimension of the keys where it is not d; how many starts the problem itself
    provides for each parameter.
    data: what the problem is made of. For "sequences" the numbers are those of seeds, samples in a batch, their tokens
    and the vocabulary, and ``batches`` that of the batches; a "vocabulary" has none of all this.
    classes: of "texts" how many.
    """

    problems: int
    inputs: int
    tokens: int
    dimension: int
    fixed_head: bool = True
    settings: Mapping[str, Sequence[float]] = MappingProxyType({})
    planar: bool = False
    key_dimension: int | None = None
    starts: Mapping[str, int] = MappingProxyType({})
    data: Literal["tokens", "sequences", "vocabulary", "images", "corpus", "texts"] = "tokens"
    batches: int = 0
    classes: int = 0


def equal_counts(counts: list[int]) -> int:
    """The number of tokens that all inputs have. Raises ValueError where they differ."""
    if len(set(counts)) != 1:
        raise ValueError(f"inputs: every input needs as many tokens as the others, got {counts}")
    return counts[0]


@dataclass(frozen=True)
class Problem:
    """A batch of P problems, each with n inputs of T tokens in R^d (Max-margin Section 1).

    tokens: (P, n, T, d), the x_it.
    labels: (P, n), the Y_i, +1 or -1.
    key_weights: (d, d), the fixed W; the keys are k_it = W x_it.
    optimal: (P, n), index of each input's optimal token (the lowest one where scores tie).
    head: (P, d), the fixed value head v, or None where v is trained.
    settings: name -> (P,), what varies along the first axis.
    queries: (P, n, d), the z_i of self-attention softmax(X_i W z_i); the keys are then x_it z_i', and p is W by rows.
    own_keys: (P, n, T, m), keys in other coordinates, such as those of their span; p is in R^m.
    starts: parameter -> (P, starts, m or d), where training may start, for starts that differ between problems.
    """

    tokens: Array
    labels: Array
    key_weights: Array
    optimal: NDArray[np.int64]
    head: Array | None = None
    settings: dict[str, Array] = field(default_factory=dict)
    queries: Array | None = None
    own_keys: Array | None = None
    starts: dict[str, Array] = field(default_factory=dict)

    @cached_property
    def keys(self) -> Array:
        """K = X W', (P, n, T, d), or those of self-attention, (P, n, T, m)."""
        if self.own_keys is not None:
            return self.own_keys
        if self.queries is not None:
            return outer_keys(self.tokens, self.queries)
        # Random problems have W = identity and may fill much of the memory.
        identity = np.array_equal(self.key_weights, np.eye(len(self.key_weights)))
        return self.tokens if identity else self.tokens @ self.key_weights.T

    def scores(self, head: Array | None = None) -> Array:
        """gamma_it = Y_i v'x_it (Definition 1), (P, n, T), for the given head or else the fixed one.

        Raises ValueError where the problem has no fixed head and none is given.
        """
        v = self.head if head is None else head
        if v is None:
            raise ValueError("this problem trains its head: scores need one")
        return token_scores(self.tokens, self.labels, v)

    def to_arrays(self) -> dict[str, NDArray]:
        """Named arrays for the store."""
        arrays = {name: getattr(self, name) for name in ("tokens", "labels", "key_weights", "optimal")}
        optional = ("head", "queries", "own_keys")
        arrays |= {name: array for name in optional if (array := getattr(self, name)) is not None}
        groups = {"settings": self.settings, "starts": self.starts}
        return arrays | {f"{group}/{name}": values for group, named in groups.items() for name, values in named.items()}

    @classmethod
    def from_arrays(cls, arrays: dict[str, NDArray]) -> "Problem":
        """The inverse of ``to_arrays``."""
        fields: dict[str, Any] = {name: values for name, values in arrays.items() if "/" not in name}
        for path, values in arrays.items():
            if "/" in path:
                group, _, name = path.partition("/")
                fields.setdefault(group, {})[name] = values
        return cls(**fields)


def with_fixed_head(
    tokens: Array,
    labels: Array,
    key_weights: Array,
    head: Array,
    settings: dict[str, Array] | None = None,
    **fields: Any,
) -> Problem:
    """A problem whose optimal tokens are those that score highest under its head. Fields and shapes as in Problem."""
    optimal = token_scores(tokens, labels, head).argmax(-1)
    return Problem(tokens, labels, key_weights, optimal, head, settings or {}, **fields)


def outer_keys(tokens: Array, queries: Array) -> Array:
    """The keys x_it z_i' of self-attention, (..., n, T, d * d), of tokens (..., n, T, d) and queries (..., n, d)."""
    return (tokens[..., :, None] * queries[..., :, None, None, :]).reshape(*tokens.shape[:-1], -1)


def token_scores(tokens: Array, labels: Array, head: Array) -> Array:
    """gamma_it = Y_i v'x_it, (P, n, T), from tokens (P, n, T, d), labels (P, n) and a head (P, d)."""
    return labels[..., None] * (tokens @ head[:, None, :, None])[..., 0]
