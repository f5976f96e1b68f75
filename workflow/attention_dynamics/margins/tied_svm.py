"""ATT-SVM': the shortest prompt that separates one of several optimal tokens per input (Max-margin Appendix D)."""

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.margins.max_margin import Infeasible
from attention_dynamics.margins.reference import Reference
from attention_dynamics.margins.selected_tokens import selected_tokens, tied_optimal
from attention_dynamics.margins.token_solution import TokenSolution, separate_tokens
from attention_dynamics.problems.problem import Problem

MAX_CHOICES = 1000
LENGTH_TOLERANCE = 1e-9


class TiedSVM(Reference, kind="tied_svm"):
    """ATT-SVM': argmin |p| subject to max_(alpha in O_i) min_(beta not in O_i) p'(k_i,alpha - k_i,beta) >= 1 for all i.

    O_i: all tokens of input i whose score ties with the best (``selected_tokens.tied_optimal``). The program is not
    convex, but it is convex for a fixed choice of one alpha per input. The solution is the shortest one over all
    choices.
    select: one choice, the index of an optimal token in each input; or "optimal", to try all choices. If several
    solutions are equally short (up to 1e-9 of the length), the lexicographically first choice is taken. If every choice
    is infeasible, the answer is Infeasible with the certificate of the first choice.
    """

    parameter = "p"

    def solve(self, problem: Problem, index: int) -> TokenSolution | Infeasible:
        """See ``Reference.solve``. Also raises ValueError if a token in ``select`` is not optimal, if there are more
        than 1000 choices, and if all tokens of all inputs are optimal.
        """
        optimal = tied_optimal(problem.scores()[index])
        keys, required = problem.keys[index], np.ones(len(optimal))
        if self.select != "optimal":
            selected = selected_tokens(problem, index, self.select)
            _check_optimal(selected, optimal)
            return separate_tokens(keys, selected, required, ~optimal)
        # Where all tokens of an input tie, the input has no constraint and one choice is enough.
        sets = [[0] if row.all() else np.flatnonzero(row).tolist() for row in optimal]
        if (count := math.prod(map(len, sets))) > MAX_CHOICES:
            raise ValueError(f"{count} choices of one optimal token per input are too many (at most {MAX_CHOICES})")
        answers = [separate_tokens(keys, np.array(choice), required, ~optimal) for choice in itertools.product(*sets)]
        solutions = [answer for answer in answers if not isinstance(answer, Infeasible)]
        if not solutions:
            return answers[0]
        shortest = min(solution.norm for solution in solutions)
        return next(solution for solution in solutions if solution.norm <= shortest * (1 + LENGTH_TOLERANCE))


def _check_optimal(selected: NDArray[np.int64], optimal: NDArray[np.bool_]) -> None:
    for i, t in enumerate(selected):
        if not optimal[i, t]:
            raise ValueError(
                f"select: token {t} of input {i} is not optimal; choose one of {np.flatnonzero(optimal[i]).tolist()}"
            )
