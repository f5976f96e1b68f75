"""The label SVM: the shortest head that classifies the selected tokens with margin one (Max-margin eq. SVM)."""

import math
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.margins.max_margin import TIGHT_TOLERANCE, Infeasible, Solution, solve_max_margin
from attention_dynamics.margins.reference import Reference
from attention_dynamics.margins.selected_tokens import selected_tokens
from attention_dynamics.problems.arrays import check_array, takes_arrays
from attention_dynamics.problems.problem import Array, Problem, check_labels
from attention_dynamics.scaling import binary_scale
from attention_dynamics.types import Selection


@dataclass(frozen=True)
class LabelSolution(Solution):
    """Head v_mm of a label SVM, with one constraint for each input.

    margins: (n,), the Y_i v'r_i, where r_i is the selected token of input i. duals: (n,), their multipliers.
    sklearn_cosine: cosine of v_mm with the direction that scikit-learn's LinearSVC finds; NaN if not compared.
    """

    sklearn_cosine: float = math.nan

    @property
    def tight(self) -> NDArray[np.bool_]:
        """Support vectors in the paper's sense, (n,) booleans: inputs with margin one, up to TIGHT_TOLERANCE."""
        return self.margins <= 1.0 + TIGHT_TOLERANCE


class LabelSVM(Reference, kind="label_svm"):
    """Label SVM: the shortest head that classifies the selected tokens (``select``) with margin one; see ``label_svm``.

    The direction is compared with that of scikit-learn's LinearSVC.
    """

    parameter = "v"
    follows_selection = True

    def solve(self, problem: Problem, index: int) -> LabelSolution | Infeasible:
        features, labels = selected_features(problem, index, self.select), problem.labels[index]
        answer = label_svm(features, labels)
        if isinstance(answer, Infeasible):
            return answer
        return replace(answer, sklearn_cosine=float(answer.direction @ sklearn_direction(features, labels)))


@takes_arrays()
def label_svm(features: Array, labels: Array) -> LabelSolution | Infeasible:
    """Return v_mm = argmin |v| subject to Y_i v'r_i >= 1 for all i, or Infeasible if no v satisfies this.

    features: (n, d), the r_i. labels: (n,), the Y_i, +1 or -1.
    Raises ValueError for other shapes and labels. Raises SolverError if no answer could be certified.
    """
    examples = signed_features(features, labels)
    answer = solve_max_margin(examples, np.ones(len(examples)))
    return answer if isinstance(answer, Infeasible) else LabelSolution(**vars(answer))


@takes_arrays()
def signed_features(features: Array, labels: Array) -> Array:
    """Return Y_i r_i, (n, d). Arguments as for ``label_svm``. Raises ValueError for other shapes and labels."""
    n = len(check_array("features", features, ("n", "d"), (None, None)))
    check_labels(labels[None], 1, n)
    signed: Array = labels[:, None] * features
    return signed


@takes_arrays()
def sklearn_direction(features: Array, labels: Array) -> Array:
    """Return the direction of the label SVM, (d,), by scikit-learn's LinearSVC. Arguments as for ``label_svm``."""
    from sklearn.svm import LinearSVC  # imported here: it takes over a second, and most problems have no label SVM

    check_labels(labels[None], 1, len(features))
    # LinearSVC needs both classes, so each point is also added with opposite sign and opposite label. Without an
    # intercept, this does not change the solution. Features are scaled to about 1, because C must exceed the
    # multipliers, which grow as features shrink.
    points, signs = np.vstack([features, -features]) / binary_scale(features, None), np.append(labels, -labels)
    model = LinearSVC(loss="hinge", C=1e6, fit_intercept=False, tol=1e-10, max_iter=1_000_000, random_state=0)
    weights = model.fit(points, signs).coef_[0]
    return cast(Array, weights / np.linalg.norm(weights))


def selected_features(problem: Problem, index: int, select: Selection) -> Array:
    """Return the selected token of each input of problem ``index``, (n, d): the outputs r_i of a saturated softmax."""
    selected = selected_tokens(problem, index, select)
    features: Array = problem.tokens[index, np.arange(len(selected)), selected]
    return features
