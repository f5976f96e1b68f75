"""l_p-AttSVM: the prompt of least l_p norm that separates one token per input from the others (Mirror descent)."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.margins.lp_max_margin import solve_lp_max_margin
from attention_dynamics.margins.max_margin import Infeasible
from attention_dynamics.margins.reference import Reference
from attention_dynamics.margins.selected_tokens import selected_tokens
from attention_dynamics.margins.token_solution import TokenSolution, separate_tokens
from attention_dynamics.problems.arrays import takes_arrays
from attention_dynamics.problems.problem import Array, Problem
from attention_dynamics.types import Exponent


class LpAttentionSVM(Reference, kind="lp_attention_svm"):
    """l_p-AttSVM: the prompt of least l_p norm that separates the selected token of each input from the others.

    exponent: p. The function ``lp_attention_svm`` states the program. Unlike the Euclidean norm, the l_p norm depends
    on the choice of coordinates; here they are those of ``Problem.keys``.
    """

    parameter = "p"
    follows_selection = True

    exponent: Exponent

    def solve(self, problem: Problem, index: int) -> TokenSolution | Infeasible:
        return lp_attention_svm(problem.keys[index], selected_tokens(problem, index, self.select), self.exponent)


@takes_arrays()
def lp_attention_svm(keys: Array, selected: NDArray[np.int64], exponent: float) -> TokenSolution | Infeasible:
    """Return argmin |p|_exponent subject to p'(k_i,selected - k_it) >= 1 for all i and t != selected_i, or Infeasible.

    keys: (n, T, d); selected: (n,), token indices; exponent: in (1, 10]. To solve for weights W in place of a prompt,
    pass the keys vec(x_it z_i').
    Raises ValueError for a selection or exponent that does not fit, and SolverError if no answer could be certified.
    """
    return separate_tokens(keys, selected, solve=partial(solve_lp_max_margin, exponent=exponent))


def feasible(answer: TokenSolution | Infeasible, index: int) -> Array:
    """Return the weights of a solution, (d,). Raises ValueError, naming problem ``index``, if it is Infeasible."""
    if isinstance(answer, Infeasible):
        raise ValueError(f"the optimal tokens of problem {index} cannot be separated from the others")
    return answer.weights
