"""ATT-SVM' that also treats SVM-neighbors scoring higher than the selected token as optimal (Max-margin Appendix E)."""

import itertools

import numpy as np

from attention_dynamics.margins.attention_svm import attention_svm
from attention_dynamics.margins.max_margin import Infeasible
from attention_dynamics.margins.reference import Reference
from attention_dynamics.margins.selected_tokens import selected_tokens
from attention_dynamics.margins.token_solution import TokenSolution, separate_tokens
from attention_dynamics.problems.problem import Problem


class NearTiedSVM(Reference, kind="near_tied_svm"):
    """ATT-SVM' (``tied_svm``), where O_i is the selected token of input i and its SVM-neighbors with higher scores.

    One token of each O_i is separated from the tokens outside of O_i; the solution is the shortest over all choices of
    one token per input. If ATT-SVM of the selected tokens is infeasible, the answer is Infeasible. If no neighbor
    scores higher than its selected token, the program equals ATT-SVM.
    If a neighbor scores higher, the minimum score gap is negative, and Appendix E proposes ATT-SVM' as the better proxy
    of the direction of training.
    """

    parameter = "p"
    follows_selection = True

    def solve(self, problem: Problem, index: int) -> TokenSolution | Infeasible:
        """See ``Reference.solve``. Also raises ValueError if the O_i contain all tokens of all inputs."""
        keys, scores = problem.keys[index], problem.scores()[index]
        selected = selected_tokens(problem, index, self.select)
        strict = attention_svm(keys, selected)
        if isinstance(strict, Infeasible):
            return strict
        inputs = np.arange(len(keys))
        tied = strict.neighbors() & (scores > scores[inputs, selected][:, None])
        if not tied.any():
            return strict
        tied[inputs, selected] = True
        sets = [np.flatnonzero(row).tolist() for row in tied]
        choices = (np.array(choice) for choice in itertools.product(*sets))
        answers = (separate_tokens(keys, choice, np.ones(len(keys)), ~tied) for choice in choices)
        # At least one answer is a solution: for the choice of the selected tokens, all constraints are constraints of
        # ATT-SVM, which is feasible.
        return min((one for one in answers if not isinstance(one, Infeasible)), key=lambda solution: solution.norm)
