"""ATT-SVM: the shortest prompt that separates one token per input from the others (Max-margin Section 2)."""

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.margins.max_margin import Infeasible
from attention_dynamics.margins.reference import Reference
from attention_dynamics.margins.selected_tokens import selected_tokens
from attention_dynamics.margins.token_solution import TokenSolution, separate_tokens
from attention_dynamics.problems.arrays import takes_arrays
from attention_dynamics.problems.problem import Array, Problem


class AttentionSVM(Reference, kind="attention_svm"):
    """ATT-SVM, the attention SVM: the shortest prompt that separates the selected token of each input from the others.

    The function ``attention_svm`` states the program. ``select`` says which token of each input is selected.
    """

    parameter = "p"
    follows_selection = True

    def solve(self, problem: Problem, index: int) -> TokenSolution | Infeasible:
        return attention_svm(problem.keys[index], selected_tokens(problem, index, self.select))


@takes_arrays()
def attention_svm(keys: Array, selected: NDArray[np.int64]) -> TokenSolution | Infeasible:
    """Return p_mm = argmin |p| subject to p'(k_i,selected - k_it) >= 1 for all i and t != selected_i, or Infeasible.

    keys: (n, T, d); selected: (n,), token indices. With the optimal tokens selected, p_mm is the globally-optimal
    max-margin (GMM) direction.
    Raises ValueError for a selection that does not fit, and SolverError if no answer could be certified.
    """
    return separate_tokens(keys, selected)
