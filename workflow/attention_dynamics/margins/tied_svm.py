"""ATT-SVM': the shortest prompt that separates one of several optimal tokens per input (Max-margin Appendix D)."""

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.margins.max_margin import Infeasible
from attention_dynamics.margins.selection import tied_optimal
from attention_dynamics.margins.token_solution import TokenSolution, separate_tokens
from attention_dynamics.problems.problem import Problem
from attention_dynamics.types import Selection

PARAMETER = "p"
MAX_CHOICES = 1000
EQUALLY_LONG = 1e-9


def solve(problem: Problem, index: int, *, select: Selection = "optimal") -> TokenSolution | Infeasible:
    """argmin |p| subject to max over alpha in O_i of min over beta not in O_i of p'(k_i,alpha - k_i,beta) >= 1.

    O_i: all tokens of input i whose score ties with the best (``selection.tied_optimal``). The program is not convex;
    with one alpha chosen per input it is, and its solution is the shortest of those over all choices.
    select: a choice, the index of an optimal token in each input; "optimal": the shortest over all choices, the
    lexicographically first of those that are equally long (up to 1e-9); Infeasible, with the first choice's
    certificate, where every choice is.
    Raises ValueError for a token that is not optimal, more than 1000 choices, and nothing to separate.
    """
    optimal = tied_optimal(problem.scores()[index])
    keys, required = problem.keys[index], np.ones(len(optimal))
    if select != "optimal":
        _check(select, optimal)
        return separate_tokens(keys, np.array(select), required, ~optimal)
    # Where all tokens of an input tie, none is separated and any choice is as good.
    sets = [[0] if row.all() else np.flatnonzero(row).tolist() for row in optimal]
    if (count := math.prod(map(len, sets))) > MAX_CHOICES:
        raise ValueError(f"{count} choices of one optimal token per input are too many (at most {MAX_CHOICES})")
    answers = [separate_tokens(keys, np.array(choice), required, ~optimal) for choice in itertools.product(*sets)]
    solutions = [answer for answer in answers if not isinstance(answer, Infeasible)]
    if not solutions:
        return answers[0]
    shortest = min(solution.norm for solution in solutions)
    return next(solution for solution in solutions if solution.norm <= shortest * (1 + EQUALLY_LONG))


def _check(select: list[int], optimal: NDArray[np.bool_]) -> None:
    n, T = optimal.shape
    if len(select) != n or min(select) < 0 or max(select) >= T:
        raise ValueError(f"select: need one token index in [0, {T}) for each of {n} inputs, got {select}")
    for i, t in enumerate(select):
        if not optimal[i, t]:
            raise ValueError(
                f"select: token {t} of input {i} is not optimal, {np.flatnonzero(optimal[i]).tolist()} are"
            )
