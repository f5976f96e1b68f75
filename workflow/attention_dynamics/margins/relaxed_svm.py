"""The relaxed SVM: margin one only for inputs that are support vectors of the label SVM (Max-margin eq. 10)."""

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.margins.label_svm import label_svm, selected_features
from attention_dynamics.margins.max_margin import Infeasible
from attention_dynamics.margins.reference import Reference
from attention_dynamics.margins.selected_tokens import selected_tokens
from attention_dynamics.margins.token_solution import TokenSolution, separate_tokens
from attention_dynamics.problems.arrays import check_shape, takes_arrays
from attention_dynamics.problems.problem import Array, Problem


class RelaxedSVM(Reference, kind="relaxed_svm"):
    """Relaxed SVM: the shortest prompt that separates the selected token of each input from the others.

    Inputs that are support vectors of the label SVM of the selected tokens need margin 1, other inputs margin 0. If the
    label SVM is infeasible, its certificate is the answer.
    """

    parameter = "p"

    def solve(self, problem: Problem, index: int) -> TokenSolution | Infeasible:
        head = label_svm(selected_features(problem, index, self.select), problem.labels[index])
        if isinstance(head, Infeasible):
            return head
        return relaxed_svm(problem.keys[index], selected_tokens(problem, index, self.select), head.tight)


@takes_arrays()
def relaxed_svm(keys: Array, selected: NDArray[np.int64], supporting: NDArray[np.bool_]) -> TokenSolution | Infeasible:
    """Return argmin |p| subject to p'(k_i,selected - k_it) >= r_i for all i and t != selected_i, or Infeasible.

    r_i is 1 where ``supporting`` is True, else 0. keys: (n, T, d); selected: (n,), token indices; supporting: (n,)
    booleans, not all False.
    Raises ValueError for a selection or booleans that do not fit, and SolverError if no answer could be certified.
    """
    check_shape("supporting", supporting, ("n",), (len(keys),))
    return separate_tokens(keys, selected, np.where(supporting, 1.0, 0.0))
