"""Reference directions of a whole batch of problems, as named arrays."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.margins.local_optimality import assumption_b, local_optimality, locally_optimal_directions
from attention_dynamics.margins.max_margin import Infeasible, Solution
from attention_dynamics.margins.token_solution import TokenSolution
from attention_dynamics.problems.problem import Array, Problem

Solver = Callable[[Problem, int], Solution | Infeasible]

# What ``tabulate`` returns for a reference and ``enumerate_lmm`` for the set; what a claim may ask for.
QUANTITIES = (
    "direction", "weights", "norm", "objective", "margins", "duals", "support", "gap", "residual",
    "feasible", "infeasibility", "tight", "sklearn_cosine", "selected", "margins_of_others", "neighbours", "score_gap",
    "assumption_b", "locally_optimal",
)  # fmt: skip
LMM_QUANTITIES = ("direction", "selected", "count")


def tabulate(problem: Problem, solve: Solver, parameter: str) -> dict[str, NDArray]:
    """Solve one kind of reference for each of the P problems; arrays named as in QUANTITIES, first axis P.

    parameter: "p" or "v", the parameter whose direction this is. Problems without a solution have ``feasible`` false,
    NaN (numbers) or false (booleans) elsewhere, and the residual of the certificate in ``infeasibility``.
    Raises ValueError where no problem of the batch is feasible.
    """
    answers = [solve(problem, index) for index in range(len(problem.tokens))]
    rows = [None if isinstance(a, Infeasible) else _row(a, problem, k) for k, a in enumerate(answers)]
    shape = next((row for row in rows if row is not None), None)
    if shape is None:
        raise ValueError("the constraints cannot be met: no such direction exists in any problem of the batch")
    table = {name: np.stack([_blank(v) if row is None else row[name] for row in rows]) for name, v in shape.items()}
    return table | {
        "parameter": np.array(parameter),
        "feasible": np.array([row is not None for row in rows]),
        "infeasibility": np.array([a.residual if isinstance(a, Infeasible) else np.nan for a in answers]),
    }


def _row(solution: Solution, problem: Problem, index: int) -> dict[str, NDArray]:
    shared = ("direction", "weights", "norm", "objective", "margins", "duals", "support", "gap", "residual")
    row = {name: np.asarray(getattr(solution, name)) for name in shared}
    if not isinstance(solution, TokenSolution):
        return row | {"tight": solution.tight, "sklearn_cosine": np.asarray(solution.sklearn_cosine)}
    others = np.isfinite(solution.margins)
    row |= {"selected": solution.selected, "margins_of_others": solution.margins[others]}
    if problem.head is not None:
        scores = problem.scores()[index]
        test = local_optimality(solution, scores)
        row |= {name: np.asarray(getattr(test, name)) for name in ("neighbours", "score_gap", "locally_optimal")}
        row["assumption_b"] = np.asarray(assumption_b(scores, solution.selected))
    return row


def _blank(value: NDArray) -> NDArray:
    fill = {"f": np.nan, "i": -1, "b": False}[value.dtype.kind]
    return np.full_like(value, fill)


def enumerate_lmm(problem: Problem) -> dict[str, Array]:
    """All LMM directions of a single problem: direction (m, d), selected (m, n), count.

    Raises ValueError for a batch of more than one problem, a trained head, or too many selections.
    """
    if len(problem.tokens) != 1:
        raise ValueError(f"lmm_set: needs a single problem, got a batch of {len(problem.tokens)}")
    found = list(locally_optimal_directions(problem.keys[0], problem.scores()[0]))
    return {
        "direction": np.array([one.direction for one in found]),
        "selected": np.array([one.selected for one in found]),
        "count": np.array(len(found)),
    }
