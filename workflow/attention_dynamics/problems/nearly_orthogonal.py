"""One optimal token per input, the rest noise, for self-attention (Fast rates, Example 1 and data model DM)."""

import math
from itertools import product
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from attention_dynamics.problems.problem import Array, Problem, with_fixed_head
from attention_dynamics.problems.shape import TokenShape
from attention_dynamics.problems.source import ProblemSource
from attention_dynamics.problems.spans import span_coordinates, span_keys
from attention_dynamics.types import Count, Counts, Flags, NonNegative, NonNegatives, Positive, Seeds


class NearlyOrthogonal(ProblemSource, kind="nearly_orthogonal"):
    """One data set per combination of seed, d, sigma and ``projected``, for self-attention with query x_1.

    The first half of the inputs has label +1, the second half -1. mu_+ and mu_- are orthogonal, or opposite if
    ``antipodal``, and have length ``norm``. The optimal token of an input is mu_y + sigma z / sqrt(d) with z standard
    normal; its place is random, but not the first if ``noise_query``. Other tokens are z / sqrt(d), made orthogonal to
    mu_+ and mu_- if ``projected``. The head is u = 2 (mu_+ - mu_-) / |mu_+ - mu_-|^2, which gives mu_+ and mu_- the
    score 1. With ``head_start`` the head is trained, from a random vector of this length. start_norms: for each of
    these norms there is a start W(0), a multiple of the same random matrix. The paper does not say how it draws its
    data; this construction is ours.

    Tokens and head are stored in coordinates of the span of tokens and head. The keys x_t x_1' and W(0) are stored in
    coordinates of the span of keys and W(0).
    """

    seeds: Seeds
    n: Count
    T: Count
    d: Count | Counts
    sigma: NonNegative | NonNegatives = 0.0
    norm: Positive = 1.0
    antipodal: bool = False
    projected: bool | Flags = True
    noise_query: bool = False
    start_norms: NonNegatives | None = None
    head_start: Positive | None = None

    @model_validator(mode="after")
    def _check_sizes(self) -> Self:
        for name, values in {"seeds": self.seeds, **self._axes}.items():
            if len(set(values)) != len(values):
                raise ValueError(f"{name}: a value is listed twice in {list(values)}")
        narrowest = min(self._axes["d"])
        if self.T < 2 or narrowest < 3:
            raise ValueError(f"T and d: must be at least 2 and 3, got {self.T} and {narrowest}")
        return self

    @property
    def shape(self) -> TokenShape:
        starts = {"W": len(self.start_norms or ()), "v": int(self.head_start is not None)}
        vectors = self.n * self.T + 1
        return TokenShape(
            problems=math.prod(map(len, self._axes.values())), inputs=self.n, tokens=self.T,
            dimension=int(min(max(self._axes["d"]), vectors)), fixed_head=self.head_start is None,
            settings=self._axes, key_dimension=vectors,
            starts={name: count for name, count in starts.items() if count},
        )  # fmt: skip

    def build(self) -> Problem:
        rows = list(product(*self._axes.values()))
        labels = np.where(np.arange(self.n) < (self.n + 1) // 2, 1.0, -1.0)
        samples = [self._draw(labels, int(seed), int(d), sigma, bool(flag)) for seed, d, sigma, flag in rows]
        tokens, heads, keys = (_stack([getattr(s, name) for s in samples]) for name in ("tokens", "head", "keys"))
        columns = zip(self._axes, zip(*rows, strict=True), strict=True)
        settings = {name: np.array(values, float) for name, values in columns}
        starts = {}
        if self.start_norms:
            starts["W"] = np.array([np.outer(self.start_norms, sample.weights) for sample in samples])
        signs, identity = np.tile(labels, (len(rows), 1)), np.eye(tokens.shape[-1])
        if self.head_start is None:
            return with_fixed_head(tokens, signs, identity, heads, settings, own_keys=keys, starts=starts)
        optimal, starts = np.array([sample.optimal for sample in samples]), {**starts, "v": heads[:, None]}
        return Problem(tokens, signs, identity, optimal, settings=settings, own_keys=keys, starts=starts)

    def _draw(self, labels: Array, seed: int, d: int, sigma: float, projected: bool) -> "_Sample":
        rng, n = np.random.default_rng(seed), self.n
        classes = self.norm * np.linalg.qr(rng.standard_normal((d, 2)))[0].T
        if self.antipodal:
            classes[1] = -classes[0]
        optimal = rng.integers(int(self.noise_query), self.T, size=n)
        tokens = rng.standard_normal((n, self.T, d)) / np.sqrt(d)
        if projected:
            tokens -= tokens @ np.linalg.pinv(classes) @ classes
        extra = rng.standard_normal((n, d)) / np.sqrt(d)
        tokens[np.arange(n), optimal] = classes[(labels < 0).astype(int)] + sigma * extra
        difference = classes[0] - classes[1]
        head = 2 * difference / np.square(difference).sum()
        if self.head_start is not None:
            head = _rescale(rng.standard_normal(d), self.head_start)
        return _Sample.in_span(tokens, head, optimal, rng.standard_normal((d, d)))

    @property
    def _axes(self) -> dict[str, tuple[float, ...]]:
        """The settings that vary between data sets."""
        axes = {"seed": self.seeds, "d": self.d, "sigma": self.sigma, "projected": self.projected}
        return {name: values if isinstance(values, tuple) else (values,) for name, values in axes.items()}


class _Sample(NamedTuple):
    """One data set. Tokens and head are in coordinates of one joint span, keys and ``weights`` of another one.

    weights: (n T + 1,), the random matrix W of norm one; the starts W(0) are multiples of it.
    """

    tokens: Array
    head: Array
    optimal: NDArray[np.int64]
    keys: Array
    weights: Array

    @classmethod
    def in_span(cls, tokens: Array, head: Array, optimal: NDArray[np.int64], weights: Array) -> Self:
        keys, direction = span_keys(tokens, _rescale(weights, 1.0))
        points = span_coordinates(np.vstack([tokens.reshape(-1, tokens.shape[-1]), head]))
        return cls(points[:-1].reshape(*tokens.shape[:2], -1), points[-1], optimal, keys, direction)


def _rescale(vector: Array, norm: float) -> Array:
    return norm * vector / np.linalg.norm(vector)


def _stack(arrays: list[Array]) -> Array:
    """Return a stack of arrays whose last axes differ in length; shorter ones are padded with zeros."""
    width = max(array.shape[-1] for array in arrays)
    return np.stack([np.pad(a, [(0, 0)] * (a.ndim - 1) + [(0, width - a.shape[-1])]) for a in arrays])
