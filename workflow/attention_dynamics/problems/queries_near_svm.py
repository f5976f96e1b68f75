"""The problems of ``random_queries`` with starts near the l_p-AttSVM of the optimal tokens."""

from dataclasses import replace
from typing import Self

import numpy as np
from pydantic import model_validator

from attention_dynamics.margins.lp_attention_svm import feasible, lp_attention_svm
from attention_dynamics.margins.lp_norms import lp_norm
from attention_dynamics.problems.problem import Array, Problem
from attention_dynamics.problems.random_queries import RandomQueries, check_exponents
from attention_dynamics.problems.shape import TokenShape
from attention_dynamics.problems.source import ProblemSource
from attention_dynamics.types import Count, Exponents, NonNegative, Positive, Seed


class QueriesNearSVM(ProblemSource, kind="queries_near_svm"):
    """Data sets of ``RandomQueries`` with starting points W(0) near the max-margin solution, one for each exponent p.

    W(0) has the direction of W_mm / |W_mm|_p + perturbation * N / |N|_p, and |W(0)|_p = ``norm``. W_mm is the
    l_p-AttSVM (attention support vector machine with the l_p norm) of the optimal tokens. N is a standard normal matrix
    for each data set, the same for all exponents. ``default_rng(noise_seed)`` draws the matrices N in the order of the
    data sets.
    """

    datasets: Count
    n: Count
    T: Count
    d: Count
    exponents: Exponents
    norm: Positive
    perturbation: NonNegative
    first_seed: Seed = 1
    noise_seed: Seed = 0

    @model_validator(mode="after")
    def _check(self) -> Self:
        check_exponents(self.exponents)
        if self.T < 2:
            raise ValueError(f"T: must be at least 2, to separate the optimal token from others, got {self.T}")
        return self

    @property
    def shape(self) -> TokenShape:
        return self._queries.shape

    def build(self) -> Problem:
        """Return the problems. Raises ValueError if the optimal tokens cannot be separated from the others."""
        problem, exponents = self._queries.build(), np.array(self.exponents, dtype=float, ndmin=1)
        svm = np.array([
            [feasible(lp_attention_svm(keys, optimal, float(p)), k) for p in exponents]
            for k, (keys, optimal) in enumerate(zip(problem.keys, problem.optimal, strict=True))
        ])  # fmt: skip
        noise = np.random.default_rng(self.noise_seed).standard_normal((self.datasets, 1, svm.shape[-1]))

        def size(W: Array) -> Array:
            return lp_norm(W, exponents)[..., None]

        direction = svm / size(svm) + self.perturbation * noise / size(noise)
        return replace(problem, starts={"W": self.norm * direction / size(direction)})

    @property
    def _queries(self) -> RandomQueries:
        return RandomQueries(
            datasets=self.datasets, n=self.n, T=self.T, d=self.d, first_seed=self.first_seed, exponents=self.exponents
        )
