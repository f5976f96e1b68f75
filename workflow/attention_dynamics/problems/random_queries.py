"""Tokens, queries and head drawn from the unit sphere, for self-attention (Mirror descent, synthetic data)."""

from collections.abc import Sequence
from itertools import product
from typing import Self

import numpy as np
from pydantic import model_validator

from attention_dynamics.problems.problem import Array, Problem, with_fixed_head
from attention_dynamics.problems.shape import TokenShape
from attention_dynamics.problems.source import ProblemSource
from attention_dynamics.types import Count, Exponents, Indices, Seed


class RandomQueries(ProblemSource, kind="random_queries"):
    """Data sets with consecutive seeds for softmax(X_i W z_i), with W trained and the head fixed.

    A data set is drawn from torch's CPU generator in single precision, in the published order: head, labels, tokens,
    queries. Then head, tokens and queries are divided by their norms. All replications have the same data sets but
    different starts. There is one start for each p of ``exponents``, a standard normal W(0), which is drawn from
    ``default_rng([replication, 100 p, seed])``. The published starts come from a generator without a seed.
    """

    datasets: Count
    n: Count
    T: Count
    d: Count
    first_seed: Seed = 1
    replications: Indices = (0,)
    exponents: Exponents = 2.0

    @model_validator(mode="after")
    def _check_lists(self) -> Self:
        if len(set(self.replications)) != len(self.replications):
            raise ValueError(f"replications: a value is listed twice in {list(self.replications)}")
        check_exponents(self.exponents)
        return self

    @property
    def shape(self) -> TokenShape:
        return TokenShape(
            problems=self.datasets * len(self.replications), inputs=self.n, tokens=self.T, dimension=self.d,
            settings=self._axes, key_dimension=self.d**2,
            starts={"W": len(_as_tuple(self.exponents))},
        )  # fmt: skip

    def build(self) -> Problem:
        rows = list(product(*self._axes.values()))
        samples = [self._draw(seed) for _, seed in rows]
        tokens, heads, queries, labels = (np.stack(arrays) for arrays in zip(*samples, strict=True))
        starts = np.array([[self._start(r, p, seed) for p in _as_tuple(self.exponents)] for r, seed in rows])
        columns = zip(self._axes, zip(*rows, strict=True), strict=True)
        settings = {name: np.array(values, float) for name, values in columns}
        return with_fixed_head(tokens, labels, np.eye(self.d), heads, settings, queries=queries, starts={"W": starts})

    @property
    def _axes(self) -> dict[str, Sequence[int]]:
        """The settings that vary between problems."""
        return {"replication": self.replications, "seed": range(self.first_seed, self.first_seed + self.datasets)}

    def _draw(self, seed: int) -> list[Array]:
        """Return the tokens (n, T, d), head (d,), queries (n, d) and labels (n,) of the data set with this seed."""
        import torch  # the published data come from its generator. Imported here: it takes more than a second.

        rng = torch.Generator().manual_seed(seed)
        head, signs = torch.randn(self.d, generator=rng), torch.randn(self.n, generator=rng)
        tokens, queries = torch.randn(self.n, self.T, self.d, generator=rng), torch.randn(self.n, self.d, generator=rng)
        unit = [x / x.norm(dim=-1, keepdim=True) for x in (tokens, head, queries)]
        return [x.double().numpy() for x in (*unit, torch.where(signs > 0, 1.0, -1.0))]

    def _start(self, replication: int, exponent: float, seed: int) -> Array:
        rng = np.random.default_rng([replication, _hundredths(exponent), seed])
        return rng.standard_normal(self.d**2)


def check_exponents(exponents: Exponents) -> None:
    """Raise ValueError if two exponents agree to two decimals, because their starts would then be the same."""
    seeds = [_hundredths(exponent) for exponent in _as_tuple(exponents)]
    if len(set(seeds)) != len(seeds):
        raise ValueError("exponents: a value is listed twice (exponents to two decimals)")


def _hundredths(exponent: float) -> int:
    return round(100 * exponent)


def _as_tuple(exponents: Exponents) -> tuple[float, ...]:
    return exponents if isinstance(exponents, tuple) else (exponents,)
