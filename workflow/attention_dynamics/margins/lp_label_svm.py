"""l_p-SVM: the head of least l_p norm that classifies the selected tokens with margin one (Mirror descent)."""

import numpy as np

from attention_dynamics.margins.label_svm import LabelSolution, selected_features, signed_features
from attention_dynamics.margins.lp_max_margin import solve_lp_max_margin
from attention_dynamics.margins.max_margin import Infeasible
from attention_dynamics.margins.reference import Reference
from attention_dynamics.problems.arrays import takes_arrays
from attention_dynamics.problems.problem import Array, Problem
from attention_dynamics.types import Exponent


class LpLabelSVM(Reference, kind="lp_label_svm"):
    """l_p-SVM: the head of least l_p norm that classifies the selected tokens (``select``) with margin one.

    exponent: p. The direction is not compared with scikit-learn, which has no l_p-SVM.
    """

    parameter = "v"
    follows_selection = True

    exponent: Exponent

    def solve(self, problem: Problem, index: int) -> LabelSolution | Infeasible:
        return lp_label_svm(selected_features(problem, index, self.select), problem.labels[index], self.exponent)


@takes_arrays()
def lp_label_svm(features: Array, labels: Array, exponent: float) -> LabelSolution | Infeasible:
    """Return argmin |v|_exponent subject to Y_i v'r_i >= 1 for all i, or Infeasible if no v satisfies this.

    features: (n, d), the r_i; labels: (n,), the Y_i, +1 or -1; exponent: in (1, 10].
    Raises ValueError for an exponent out of range and for other shapes or labels.
    Raises SolverError if no answer could be certified.
    """
    examples = signed_features(features, labels)
    answer = solve_lp_max_margin(examples, np.ones(len(examples)), exponent)
    return answer if isinstance(answer, Infeasible) else LabelSolution(**vars(answer))
