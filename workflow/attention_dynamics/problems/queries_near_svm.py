"""The problems of ``random_queries`` with starts near the l_p-AttSVM of the optimal tokens."""

from dataclasses import replace

import numpy as np

from attention_dynamics.margins.lp_norms import lp_norm
from attention_dynamics.problems import random_queries
from attention_dynamics.problems.problem import Problem, Shape
from attention_dynamics.types import Count, Exponents, NonNegative, Positive, Seed


def shape(
    *, datasets: Count, n: Count, T: Count, d: Count, exponents: Exponents, norm: Positive, perturbation: NonNegative,
    first_seed: Seed = 1, noise_seed: Seed = 0,
) -> Shape:  # fmt: skip
    """As ``random_queries.shape``."""
    return random_queries.shape(datasets=datasets, n=n, T=T, d=d, first_seed=first_seed, exponents=exponents)


def build(
    *, datasets: Count, n: Count, T: Count, d: Count, exponents: Exponents, norm: Positive, perturbation: NonNegative,
    first_seed: Seed = 1, noise_seed: Seed = 0,
) -> Problem:  # fmt: skip
    """starts: for each exponent p the W(0) with |W(0)|_p = ``norm`` along W_mm / |W_mm|_p + perturbation N / |N|_p.

    W_mm is the l_p-AttSVM of the optimal tokens. N is standard normal, drawn for one data set after the other from
    ``default_rng(noise_seed)`` and the same for every exponent. Raises ValueError where the optimal tokens cannot be
    separated from the others.
    """
    from attention_dynamics.margins.lp_attention_svm import feasible, solve

    problem = random_queries.build(datasets=datasets, n=n, T=T, d=d, first_seed=first_seed, exponents=exponents)
    listed = np.array(exponents, dtype=float, ndmin=1)
    svm = np.array([[feasible(solve(problem, k, exponent=float(p)), k) for p in listed] for k in range(datasets)])
    noise = np.random.default_rng(noise_seed).standard_normal((datasets, 1, svm.shape[-1]))
    direction = svm / lp_norm(svm, listed)[..., None] + perturbation * noise / lp_norm(noise, listed)[..., None]
    return replace(problem, starts={"p": norm * direction / lp_norm(direction, listed)[..., None]})
