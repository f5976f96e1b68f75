"""Locally-optimal max-margin (LMM) directions (Max-margin Definition 2): a test, and an enumeration of all of them."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.margins.attention_svm import attention_svm
from attention_dynamics.margins.max_margin import Infeasible
from attention_dynamics.margins.token_solution import NEIGHBOR_TOLERANCE, TokenSolution
from attention_dynamics.problems.arrays import check_array, check_shape, own_arrays, takes_arrays
from attention_dynamics.problems.problem import Array

MAX_SELECTIONS = 1500


@dataclass(frozen=True)
class LocalOptimality:
    """Result of the test for local optimality.

    score_gap: the smallest gamma_selected - gamma_neighbor, a difference of scores, over the inputs and their
        SVM-neighbors; inf without neighbors.
    neighbors: (n, T) booleans, the SVM-neighbors (``TokenSolution.neighbors``).
    """

    score_gap: float
    neighbors: NDArray[np.bool_]

    def __post_init__(self) -> None:
        own_arrays(self)

    @property
    def locally_optimal(self) -> bool:
        """True if every selected token scores strictly higher than each of its SVM-neighbors."""
        return self.score_gap > 0


@takes_arrays()
def local_optimality(solution: TokenSolution, scores: Array, tolerance: float = NEIGHBOR_TOLERANCE) -> LocalOptimality:
    """Return the result of the test whether a solution of ATT-SVM is an LMM direction.

    scores: (n, T), the gamma_it; tolerance: see ``TokenSolution.neighbors``. Raises ValueError for another shape.
    """
    check_array("scores", scores, ("n", "T"), solution.margins.shape)
    gaps = np.take_along_axis(scores, solution.selected[:, None], axis=1) - scores
    neighbors = solution.neighbors(tolerance)
    return LocalOptimality(float(gaps[neighbors].min(initial=np.inf)), neighbors)


@takes_arrays()
def assumption_b(scores: Array, optimal: NDArray[np.int64]) -> bool:
    """Return True if Max-margin Assumption B holds, else False.

    Assumption B: in every input, all non-optimal tokens have the same score, lower than that of the optimal token.
    scores: (n, T); optimal: (n,), indices of tokens. Raises ValueError for other shapes.
    """
    n, _ = check_array("scores", scores, ("n", "T"), (None, None)).shape
    check_shape("optimal", optimal, ("n",), (n,))
    others = scores[np.arange(scores.shape[1]) != optimal[:, None]].reshape(len(scores), -1)
    best = np.take_along_axis(scores, optimal[:, None], axis=1)
    return bool((others == others[:, :1]).all() and (others < best).all())


@takes_arrays()
def locally_optimal_directions(keys: Array, scores: Array) -> Iterator[TokenSolution]:
    """Yield every LMM direction of one problem, trying all T^n selections in lexicographic order.

    keys: (n, T, d); scores: (n, T). Raises ValueError for more than 1500 selections.
    """
    n, T = scores.shape
    if T**n > MAX_SELECTIONS:
        raise ValueError(f"{T}^{n} selections are too many to enumerate (at most {MAX_SELECTIONS})")
    for selected in itertools.product(range(T), repeat=n):
        solution = attention_svm(keys, np.array(selected))
        if not isinstance(solution, Infeasible) and local_optimality(solution, scores).locally_optimal:
            yield solution
