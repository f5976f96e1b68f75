"""Antipodal data for self-attention with starts along the SVM of all inputs but one (extension of Fast rates)."""

from typing import Self

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from attention_dynamics.margins.max_margin import Infeasible
from attention_dynamics.margins.token_solution import separate_tokens
from attention_dynamics.problems.problem import Array, Problem, with_fixed_head
from attention_dynamics.problems.shape import TokenShape
from attention_dynamics.problems.source import ProblemSource
from attention_dynamics.problems.spans import span_keys
from attention_dynamics.types import Count, Positive, Seed


class LeftOutInput(ProblemSource, kind="left_out_input"):
    """Data sets with opposite optimal tokens in the two classes; all other tokens have exactly the score zero.

    The first half of the inputs has label +1, the second half -1. The optimal token of an input, at a random place, is
    Y mu with mu of length ``norm``; the other tokens are z / sqrt(d) in d further dimensions, with z standard normal.
    The head is mu / norm^2. There are two starts: W(0) = 0, and W(0) = ``multiple`` times the solution of ATT-SVM for
    all inputs but one. The input that is left out is the one whose key x_opt x_1' has the smallest sum of inner
    products with the keys x_opt x_1' of the other inputs. Keys and W are stored in coordinates of the span of the keys.
    """

    datasets: Count
    n: Count
    T: Count
    d: Count
    norm: Positive
    multiple: Positive
    first_seed: Seed = 0

    @model_validator(mode="after")
    def _check_sizes(self) -> Self:
        if self.n < 2 or self.T < 2:
            raise ValueError(f"n and T: need 2 or more, got {self.n} and {self.T}")
        return self

    @property
    def shape(self) -> TokenShape:
        return TokenShape(
            problems=self.datasets, inputs=self.n, tokens=self.T, dimension=self.d + 1,
            key_dimension=self.n * self.T + 1, settings={"seed": self._numbers}, starts={"W": 2},
        )  # fmt: skip

    def build(self) -> Problem:
        """Return the problems. Raises ValueError if optimal tokens cannot be separated from the others."""
        labels = np.where(np.arange(self.n) < (self.n + 1) // 2, 1.0, -1.0)
        tokens = np.array([self._draw(labels, seed) for seed in self._numbers])
        keys = np.array([span_keys(one, np.zeros((self.d + 1,) * 2))[0] for one in tokens])
        heads = np.zeros((self.datasets, self.d + 1))
        heads[:, 0] = 1 / self.norm
        problem = with_fixed_head(
            tokens, np.tile(labels, (self.datasets, 1)), np.eye(self.d + 1), heads,
            {"seed": np.array(self._numbers, dtype=float)}, own_keys=keys,
        )  # fmt: skip
        others = np.array([_svm_of_others(*each) for each in zip(keys, problem.optimal, strict=True)])
        problem.starts["W"] = np.stack([np.zeros_like(others), self.multiple * others], axis=1)
        return problem

    @property
    def _numbers(self) -> tuple[int, ...]:
        return tuple(range(self.first_seed, self.first_seed + self.datasets))

    def _draw(self, labels: Array, seed: int) -> Array:
        rng = np.random.default_rng(seed)
        optimal = rng.integers(self.T, size=self.n)
        noise = rng.standard_normal((self.n, self.T, self.d)) / np.sqrt(self.d)
        # The coordinate along mu is an exact zero, so that the other tokens have the score zero without rounding.
        tokens = np.concatenate([np.zeros((self.n, self.T, 1)), noise], axis=-1)
        tokens[np.arange(self.n), optimal] = 0.0
        tokens[np.arange(self.n), optimal, 0] = labels * self.norm
        return tokens


def _svm_of_others(keys: Array, optimal: NDArray[np.int64]) -> Array:
    """Return the solution, (m,), of ATT-SVM for all inputs of a data set but one; see ``LeftOutInput``.

    keys: (n, T, m); optimal: (n,), indices of tokens. Raises ValueError if ATT-SVM has no solution.
    """
    best = keys[np.arange(len(keys)), optimal]
    products = best @ best.T
    kept = np.arange(len(keys)) != (products.sum(1) - np.diag(products)).argmin()
    solution = separate_tokens(keys[kept], optimal[kept], np.ones(len(keys) - 1))
    if isinstance(solution, Infeasible):
        raise ValueError("the optimal tokens of all inputs but one cannot be separated from the others")
    return solution.weights
