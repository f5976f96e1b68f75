"""The label SVM: the shortest head that classifies the selected tokens with margin one (Max-margin eq. SVM)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.margins.max_margin import TIGHT, Infeasible, Solution, solve_max_margin
from attention_dynamics.margins.selection import selected_tokens
from attention_dynamics.problems.problem import Array, Problem
from attention_dynamics.types import Selection

PARAMETER = "v"


@dataclass(frozen=True)
class LabelSolution(Solution):
    """A head v_mm; margins and multipliers are per input, (n,).

    sklearn_direction: (d,), the unit direction that scikit-learn's LinearSVC finds, the cross-check.
    """

    sklearn_direction: Array

    @property
    def tight(self) -> NDArray[np.bool_]:
        """Support vectors in the paper's sense, (n,): inputs whose margin is exactly one."""
        return self.margins <= 1.0 + TIGHT

    @property
    def sklearn_cosine(self) -> float:
        """Cosine between the certified direction and scikit-learn's."""
        return float(self.direction @ self.sklearn_direction)


def label_svm(features: Array, labels: Array) -> LabelSolution | Infeasible:
    """v_mm = argmin |v| subject to Y_i v'r_i >= 1, by the certified program and, beside it, by scikit-learn.

    features: (n, d), the r_i; labels: (n,), +1 or -1. Raises SolverError where no answer could be certified.
    """
    answer = solve_max_margin(labels[:, None] * features, np.ones(len(labels)))
    if isinstance(answer, Infeasible):
        return answer
    return LabelSolution(
        answer.weights, answer.margins, answer.duals, answer.gap, answer.residual, _linear_svc(features, labels)
    )


def _linear_svc(features: Array, labels: Array) -> Array:
    from sklearn.svm import LinearSVC  # takes over a second to import; most problems have no label SVM

    # LinearSVC wants both classes; mirrored points leave the program without intercept as it is.
    points, signs = np.vstack([features, -features]), np.append(labels, -labels)
    model = LinearSVC(loss="hinge", C=1e6, fit_intercept=False, tol=1e-10, max_iter=1_000_000, random_state=0)
    weights = model.fit(points, signs).coef_[0]
    return weights / np.linalg.norm(weights)


def solve(problem: Problem, index: int, *, select: Selection = "optimal") -> LabelSolution | Infeasible:
    """Label SVM of problem ``index`` on the selected tokens."""
    selected = selected_tokens(problem, index, select)
    return label_svm(problem.tokens[index, np.arange(len(selected)), selected], problem.labels[index])
