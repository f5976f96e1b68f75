"""One optimal token per input, the rest noise, for self-attention (Fast rates, Example 1 and data model DM)."""

from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.problems.problem import Array, Problem, Shape, with_fixed_head
from attention_dynamics.problems.self_attention import span_keys
from attention_dynamics.problems.spans import in_their_span
from attention_dynamics.types import Count, Counts, Flags, NonNegative, NonNegatives, Positive, Seeds


def shape(
    *, seeds: Seeds, n: Count, T: Count, d: Count | Counts, sigma: NonNegative | NonNegatives = 0.0,
    projected: bool | Flags = True, start_norms: NonNegatives | None = None, head_start: Positive | None = None,
    **_: Any,
) -> Shape:  # fmt: skip
    """P is the product of what is listed. Raises ValueError for a value listed twice, for T below 2 and d below 3."""
    axes = _axes(seeds, T, d, sigma, projected)
    starts = {"p": len(start_norms or []), "v": int(head_start is not None)}
    return Shape(
        len(list(product(*axes.values()))), n, T, min(max(axes["d"]), n * T + 1), fixed_head=head_start is None,
        settings=axes, key_dimension=n * T + 1, starts={name: count for name, count in starts.items() if count},
    )  # fmt: skip


def build(
    *, seeds: Seeds, n: Count, T: Count, d: Count | Counts, sigma: NonNegative | NonNegatives = 0.0,
    norm: Positive = 1.0, antipodal: bool = False, projected: bool | Flags = True, noise_query: bool = False,
    start_norms: NonNegatives | None = None, head_start: Positive | None = None,
) -> Problem:  # fmt: skip
    """One data set per seed, d, sigma and ``projected``, for self-attention whose query is the first token.

    The first half of the inputs has label +1, the others -1. mu_+ and mu_- are orthogonal (``antipodal``: opposite) of
    length ``norm``. An input's optimal token, at a random place (``noise_query``: but not the first), is
    mu_y + sigma z / sqrt(d) with z standard normal; its others are z / sqrt(d), orthogonal to mu_+ and mu_- if
    ``projected``. The head is u = 2 (mu_+ - mu_-) / |mu_+ - mu_-|^2, which gives mu_+ and mu_- the score 1; with
    ``head_start`` it is trained instead, from a random vector of this length. start_norms: W(0) is a random matrix of
    each of these norms. What the paper draws is not known; this construction is declared.

    Tokens and head, and the keys x_t x_1' with W(0), are stored in coordinates of their span. Raises ValueError as
    ``shape``.
    """
    axes = _axes(seeds, T, d, sigma, projected)
    rows = list(product(*axes.values()))
    labels = np.where(np.arange(n) < (n + 1) // 2, 1.0, -1.0)
    samples = []
    for seed, dimension, noise, orthogonal in rows:
        rng = np.random.default_rng(seed)
        classes = norm * np.linalg.qr(rng.standard_normal((dimension, 2)))[0].T
        if antipodal:
            classes[1] = -classes[0]
        optimal = rng.integers(int(noise_query), T, size=n)
        tokens = rng.standard_normal((n, T, dimension)) / np.sqrt(dimension)
        if orthogonal:
            tokens -= tokens @ np.linalg.pinv(classes) @ classes
        extra = rng.standard_normal((n, dimension)) / np.sqrt(dimension)
        tokens[np.arange(n), optimal] = classes[(labels < 0).astype(int)] + noise * extra
        difference = classes[0] - classes[1]
        head = 2 * difference / np.square(difference).sum()
        if head_start is not None:
            head = _of_norm(head_start, rng.standard_normal(dimension))
        samples.append(_sample(tokens, head, optimal, rng.standard_normal((dimension, dimension))))

    tokens, heads, keys = (_stacked([getattr(s, name) for s in samples]) for name in ("tokens", "head", "keys"))
    settings = {name: np.array(values, float) for name, values in zip(axes, zip(*rows, strict=True), strict=True)}
    starts = {"p": np.array([np.outer(start_norms, sample.weights) for sample in samples])} if start_norms else {}
    signs, identity = np.tile(labels, (len(rows), 1)), np.eye(tokens.shape[-1])
    if head_start is None:
        return with_fixed_head(tokens, signs, identity, heads, settings, own_keys=keys, starts=starts)
    optimal, starts = np.array([sample.optimal for sample in samples]), {**starts, "v": heads[:, None]}
    return Problem(tokens, signs, identity, optimal, settings=settings, own_keys=keys, starts=starts)


class _Sample(NamedTuple):
    """One data set in coordinates of its span; weights: a random W of norm one, (n T + 1,)."""

    tokens: Array
    head: Array
    optimal: NDArray[np.int64]
    keys: Array
    weights: Array


def _sample(tokens: Array, head: Array, optimal: NDArray[np.int64], weights: Array) -> _Sample:
    keys, direction = span_keys(tokens, _of_norm(1.0, weights))
    points = in_their_span(np.vstack([tokens.reshape(-1, tokens.shape[-1]), head]))
    return _Sample(points[:-1].reshape(*tokens.shape[:2], -1), points[-1], optimal, keys, direction)


def _of_norm(norm: float, vector: Array) -> Array:
    return norm * vector / np.linalg.norm(vector)


def _stacked(arrays: list[Array]) -> Array:
    """Arrays that differ in the length of their last axis, one after the other, filled up with zeros."""
    width = max(array.shape[-1] for array in arrays)
    return np.stack([np.pad(a, [(0, 0)] * (a.ndim - 1) + [(0, width - a.shape[-1])]) for a in arrays])


def _axes(
    seeds: Seeds, T: Count, d: Count | Counts, sigma: NonNegative | NonNegatives, projected: bool | Flags
) -> dict[str, list[float]]:
    axes = {"seed": seeds, "d": d, "sigma": sigma, "projected": projected}
    axes = {name: values if isinstance(values, list) else [values] for name, values in axes.items()}
    for name, values in axes.items():
        if len(set(values)) != len(values):
            raise ValueError(f"{name}: a value is listed twice in {values}")
    if T < 2 or min(axes["d"]) < 3:
        raise ValueError(f"T and d: need 2 and 3 or more, got {T} and {min(axes['d'])}")
    return axes
