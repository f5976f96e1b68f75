"""Tokens, queries and head drawn from the unit sphere, for self-attention (Mirror descent, synthetic data)."""

from itertools import product

import numpy as np

from attention_dynamics.problems.problem import Array, Problem, Shape, with_fixed_head
from attention_dynamics.types import Count, Exponents, Indices, Seed


def shape(
    *, datasets: Count, n: Count, T: Count, d: Count, first_seed: Seed = 1, replications: Indices = [0],  # noqa: B006
    exponents: Exponents = 2.0,
) -> Shape:  # fmt: skip
    """P = data sets times replications. Raises ValueError where a replication or an exponent is listed twice."""
    for name, values in {"replications": replications, "exponents": list(map(_hundredths, _listed(exponents)))}.items():
        if len(set(values)) != len(values):
            raise ValueError(f"{name}: a value is listed twice (exponents to two decimals)")
    seeds = list(range(first_seed, first_seed + datasets))
    return Shape(
        datasets * len(replications), n, T, d, settings={"replication": replications, "seed": seeds},
        key_dimension=d * d, starts={"p": len(_listed(exponents))},
    )  # fmt: skip


def build(
    *, datasets: Count, n: Count, T: Count, d: Count, first_seed: Seed = 1, replications: Indices = [0],  # noqa: B006
    exponents: Exponents = 2.0,
) -> Problem:  # fmt: skip
    """Data sets with consecutive seeds for softmax(X_i W z_i), W trained and the head fixed, once per replication.

    Drawn from torch's CPU generator in single precision, in the published order: head, labels, tokens, queries; then
    head, tokens and queries are divided by their norms. starts: a W(0) for runs with each of the ``exponents``,
    standard normal and different in every replication. The published ones come from a generator without a seed; these
    from ``default_rng([replication, 100 p, seed])``. Raises ValueError as ``shape``.
    """
    size = shape(
        datasets=datasets, n=n, T=T, d=d, first_seed=first_seed, replications=replications, exponents=exponents
    )
    rows = list(product(*size.settings.values()))
    drawn = [_draw(seed, n, T, d) for _, seed in rows]
    tokens, heads, queries, labels = (np.stack(arrays) for arrays in zip(*drawn, strict=True))
    starts = [
        [np.random.default_rng([r, _hundredths(p), seed]).standard_normal(d * d) for p in _listed(exponents)]
        for r, seed in rows
    ]
    settings = {
        name: np.array(values, float) for name, values in zip(size.settings, zip(*rows, strict=True), strict=True)
    }
    return with_fixed_head(tokens, labels, np.eye(d), heads, settings, queries=queries, starts={"p": np.array(starts)})


def _draw(seed: int, n: int, T: int, d: int) -> list[Array]:
    """Tokens (n, T, d), head (d,), queries (n, d) and labels (n,)."""
    import torch

    rng = torch.Generator().manual_seed(seed)
    head, signs = torch.randn(d, generator=rng), torch.randn(n, generator=rng)
    tokens, queries = torch.randn(n, T, d, generator=rng), torch.randn(n, d, generator=rng)
    unit = [x / x.norm(dim=-1, keepdim=True) for x in (tokens, head, queries)]
    return [x.double().numpy() for x in (*unit, torch.where(signs > 0, 1.0, -1.0))]


def _hundredths(exponent: float) -> int:
    return round(100 * exponent)


def _listed(exponents: Exponents) -> list[float]:
    return exponents if isinstance(exponents, list) else [exponents]
