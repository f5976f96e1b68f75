"""Labelled token sequences, the data of most kinds of problems."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.problems.arrays import check_array, check_shape, own_arrays, takes_arrays
from attention_dynamics.scaling import binary_scale

Array = NDArray[np.float64]
# If the scale of the tokens times that of the head is smaller than this, terms of the scores may underflow.
SMALLEST_UNIT = 1e-290


@dataclass(frozen=True)
class Problem:
    """A batch of P problems, each with n inputs of T tokens in R^d (Max-margin Section 1).

    tokens: (P, n, T, d), the x_it.
    labels: (P, n), the Y_i, +1 or -1.
    key_weights: (d, d), the fixed W; the keys are k_it = W x_it.
    optimal: (P, n), index of each input's optimal token (``with_fixed_head`` takes the lowest index where scores tie).
    head: (P, d), the fixed value head v, or None where v is trained.
    settings: name -> (P,), the settings that differ between the problems.
    queries: (P, n, d), the z_i of self-attention softmax(X_i W z_i); the keys are then x_it z_i', and p is W, both
        flattened row by row.
    own_keys: (P, n, T, m), keys that are given in other coordinates, such as coordinates of their span; p is in R^m.
    starts: parameter name -> (P, starts, m or d), starting points that differ between the problems.

    Raises ValueError for arrays whose shapes do not fit or whose entries are not finite (``settings`` are not checked),
    for labels other than +1 and -1, and for indices outside 0 to T - 1.
    """

    KIND: ClassVar[str] = "tokens"

    tokens: Array
    labels: Array
    key_weights: Array
    optimal: NDArray[np.int64]
    head: Array | None = None
    settings: dict[str, Array] = field(default_factory=dict)
    queries: Array | None = None
    own_keys: Array | None = None
    starts: dict[str, Array] = field(default_factory=dict)

    def __post_init__(self) -> None:
        own_arrays(self)
        P, n, T, d = check_array("tokens", self.tokens, ("P", "n", "T", "d"), (None,) * 4).shape
        check_labels(self.labels, P, n)
        check_array("key_weights", self.key_weights, ("d", "d"), (d, d))
        check_shape("optimal", self.optimal, ("P", "n"), (P, n))
        if self.optimal.min() < 0 or self.optimal.max() >= T:
            raise ValueError(f"optimal: need token indices in [0, {T})")
        if self.head is not None:
            check_array("head", self.head, ("P", "d"), (P, d))
        if self.queries is not None:
            check_array("queries", self.queries, ("P", "n", "d"), (P, n, d))
        if self.own_keys is not None:
            check_array("own_keys", self.own_keys, ("P", "n", "T", "m"), (P, n, T, None))
        for name, points in self.starts.items():
            check_array(f"starts {name}", points, ("P", "starts", "m"), (P, None, None))

    @cached_property
    def keys(self) -> Array:
        """The keys, (P, n, T, m): ``own_keys`` if given, else x_it z_i' if ``queries`` are given, else W x_it."""
        if self.own_keys is not None:
            return self.own_keys
        if self.queries is not None:
            return outer_keys(self.tokens, self.queries)
        # Tokens are not copied if W is the identity, because large batches may fill much of the memory.
        identity = np.array_equal(self.key_weights, np.eye(len(self.key_weights)))
        return self.tokens if identity else self.tokens @ self.key_weights.T

    @takes_arrays()
    def scores(self, head: Array | None = None) -> Array:
        """Return gamma_it = Y_i v'x_it (Definition 1), (P, n, T), for a head v, (P, d), by default the fixed head.

        The scores of the fixed head are computed once, and cannot be written to. Raises ValueError if no head is given
        and the problem has no fixed head.
        """
        return self._fixed_scores if head is None else token_scores(self.tokens, self.labels, head)

    @cached_property
    def _fixed_scores(self) -> Array:
        if self.head is None:
            raise ValueError("the problem has no fixed head: pass a head to compute scores")
        scores = token_scores(self.tokens, self.labels, self.head)
        scores.flags.writeable = False
        return scores

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the fields that are not None as named arrays to store, with the array "kind"."""
        arrays = {name: getattr(self, name) for name in ("tokens", "labels", "key_weights", "optimal")}
        arrays["kind"] = np.array(self.KIND)
        optional = ("head", "queries", "own_keys")
        arrays |= {name: array for name in optional if (array := getattr(self, name)) is not None}
        groups = {"settings": self.settings, "starts": self.starts}
        return arrays | {f"{group}/{name}": values for group, named in groups.items() for name, values in named.items()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Return the problems from the arrays that ``to_arrays`` returned."""
        fields: dict[str, Any] = {name: values for name, values in arrays.items() if "/" not in name and name != "kind"}
        for path, values in arrays.items():
            if "/" in path:
                group, _, name = path.partition("/")
                fields.setdefault(group, {})[name] = values
        return cls(**fields)


@takes_arrays(empty=True)
def with_fixed_head(
    tokens: Array,
    labels: Array,
    key_weights: Array,
    head: Array,
    settings: dict[str, Array] | None = None,
    **fields: Any,
) -> Problem:
    """Return problems with a fixed head, whose optimal tokens are those with the highest scores.

    Arguments and errors are those of ``Problem``. Also raises ValueError for scores that overflow or underflow.
    """
    P, n, _, d = check_array("tokens", tokens, ("P", "n", "T", "d"), (None,) * 4).shape
    check_labels(labels, P, n)
    check_array("head", head, ("P", "d"), (P, d))
    with np.errstate(over="ignore", invalid="ignore"):
        scores = token_scores(tokens, labels, head)
    if not np.isfinite(scores).all():
        raise ValueError("tokens and head: scores are beyond the floating-point range; rescale them")
    units = binary_scale(tokens, (1, 2, 3)), binary_scale(head)
    if (units[0][:, 0, 0] * units[1] < SMALLEST_UNIT).any():
        scaled = token_scores(tokens / units[0], labels, head / units[1])
        if (scaled[scores == 0] != 0).any():
            raise ValueError("tokens and head: scores are below the floating-point range; rescale them")
    optimal = scores.argmax(-1)
    return Problem(tokens, labels, key_weights, optimal, head, settings or {}, **fields)


def check_labels(labels: Array, P: int, n: int) -> None:
    """Raise ValueError unless labels, (P, n), are +1 and -1."""
    if not (np.abs(check_array("labels", labels, ("P", "n"), (P, n))) == 1).all():
        raise ValueError("labels: need +1 and -1")


@takes_arrays()
def outer_keys(tokens: Array, queries: Array) -> Array:
    """Return the keys x_it z_i', flattened row by row, (..., n, T, d * d).

    tokens: (..., n, T, d); queries: (..., n, d). Raises ValueError for other shapes, and for keys beyond the
    floating-point range.
    """
    if tokens.ndim < 3 or queries.shape != (*tokens.shape[:-2], tokens.shape[-1]):
        raise ValueError(f"need tokens (..., n, T, d) and queries (..., n, d), got {tokens.shape} and {queries.shape}")
    with np.errstate(over="ignore"):
        keys = (tokens[..., :, None] * queries[..., :, None, None, :]).reshape(*tokens.shape[:-1], -1)
    entries = (np.count_nonzero(tokens, -1) * np.count_nonzero(queries, -1)[..., None]).sum()
    if not np.isfinite(keys).all() or np.count_nonzero(keys) != entries:
        raise ValueError("tokens and queries: their products leave the floating-point range; rescale them")
    return keys


@takes_arrays()
def token_scores(tokens: Array, labels: Array, head: Array) -> Array:
    """Return gamma_it = Y_i v'x_it, (P, n, T), from tokens (P, n, T, d), labels (P, n) and a head (P, d)."""
    return labels[..., None] * (tokens @ head[:, None, :, None])[..., 0]
