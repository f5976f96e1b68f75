"""Reference directions of a whole batch of problems, as named arrays."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.margins.local_optimality import assumption_b, local_optimality, locally_optimal_directions
from attention_dynamics.margins.max_margin import Infeasible, Solution, SolverError
from attention_dynamics.margins.reference import Reference
from attention_dynamics.margins.token_solution import TokenSolution
from attention_dynamics.problems.arrays import takes_arrays
from attention_dynamics.problems.problem import Array, Problem, with_fixed_head
from attention_dynamics.progress import Progress, log

Row = dict[str, NDArray[Any]]


@takes_arrays()
def solve_references(
    problem: Problem,
    references: Mapping[str, Reference],
    mask: NDArray[np.bool_] | None = None,
    must_exist: bool = True,
) -> Row:
    """Solve several references and return the arrays of ``tabulate``, named "references/<name>/<quantity>".

    references: name -> reference. mask, must_exist: see ``tabulate``. Raises as ``tabulate``, with the name of the
    reference in the message.
    """
    arrays: Row = {}
    for name, reference in references.items():
        try:
            table = tabulate(problem, reference, mask, must_exist)
        except (ValueError, SolverError) as error:
            raise type(error)(f"reference {name}: {error}") from error
        arrays |= {f"references/{name}/{quantity}": array for quantity, array in table.items()}
    return arrays


class NoSolution(ValueError):
    """A reference that must exist has no solution for any problem of a batch."""


@takes_arrays()
def tabulate(
    problem: Problem, reference: Reference, mask: NDArray[np.bool_] | None = None, must_exist: bool = True
) -> Row:
    """Solve a reference for each of the P problems, and return the solutions as arrays.

    mask: (P,), True for the problems to solve; all by default. must_exist: raise if there is no mask and no problem has
    a solution.

    The arrays have names in ``reference.QUANTITIES`` and the first axis P; in addition, "parameter" is the name of the
    parameter that is compared with the direction. "infeasibility" is the residual of the certificate of an infeasible
    problem, NaN for other problems. For problems that are infeasible or outside the mask, "feasible" is False, and
    other arrays have NaN, -1 (indices) or False. For long batches the progress is printed.

    Raises NoSolution if no problem is feasible, there is no mask, and ``must_exist`` is True.
    Raises SolverError, naming the problem, if a problem has no certified answer, and ValueError as ``Reference.solve``.
    """
    P = len(problem.tokens)
    scores = None if problem.head is None else problem.scores()
    table: Row = {}
    infeasibility = np.full(P, np.nan)
    indices = range(P) if mask is None else np.flatnonzero(mask).tolist()
    progress = Progress(log, 0, len(indices), "problem")
    for done, index in enumerate(indices):
        progress.tick(done)
        try:
            answer = reference.solve(problem, index)
        except SolverError as error:
            raise SolverError(f"problem {index}: {error}") from error
        if isinstance(answer, Infeasible):
            infeasibility[index] = answer.residual
            continue
        row = _row(answer, None if scores is None else scores[index])
        table = table or _empty_table(row, P)
        for name, value in row.items():
            table[name][index] = value
    if not table:
        if mask is None and must_exist:
            raise NoSolution(
                "no problem of the batch has a solution. Leave the reference out, or take data that can be separated: "
                "more dimensions, or fewer tokens"
            )
        table = _empty_table(_example_row(problem, reference), P)
    return table | {"parameter": np.array(reference.parameter), "infeasibility": infeasibility}


def _empty_table(row: Row, P: int) -> Row:
    """Return the arrays of a table of P problems without solutions, with the names, shapes and types of ``row``."""
    fill = {"f": np.nan, "i": -1, "b": False}
    return {name: np.full((P, *value.shape), fill[value.dtype.kind], value.dtype) for name, value in row.items()}


def _example_row(problem: Problem, reference: Reference) -> Row:
    """Return ``_row`` for the solution of a simple problem, which ``_empty_table`` needs if no problem has a solution.

    The simple problem has the shapes of a single problem of the batch, and only token 0 of each input is not zero.
    Raises ValueError if the simple problem is infeasible.
    """
    tokens, keys = (np.zeros((1, *array.shape[1:])) for array in (problem.tokens, problem.keys))
    tokens[..., 0, 0] = keys[..., 0, 0] = 1.0
    d = tokens.shape[-1]
    simple = with_fixed_head(tokens, np.ones((1, tokens.shape[1])), np.eye(d), np.eye(1, d), own_keys=keys)
    answer = reference.solve(simple, 0)
    if isinstance(answer, Infeasible):
        raise ValueError("the program is infeasible for every problem of this shard: use fewer shards")
    return _row(answer, None if problem.head is None else simple.scores()[0])


def _row(solution: Solution, scores: Array | None) -> Row:
    """Return the stored arrays of one solution. scores: (n, T), or None where the head is trained."""
    shared = ("direction", "weights", "norm", "objective", "margins", "duals", "support", "gap", "residual")
    row = {name: np.asarray(getattr(solution, name)) for name in shared} | {"feasible": np.asarray(True)}
    row["smallest_margin"] = np.asarray(np.nanmin(solution.margins))
    if not isinstance(solution, TokenSolution):
        own = ("tight", "sklearn_cosine")
        return row | {name: np.asarray(getattr(solution, name)) for name in own}
    others = np.arange(solution.margins.shape[1]) != solution.selected[:, None]
    row |= {"selected": solution.selected, "margins_of_others": solution.margins[others]}
    if scores is not None:
        test = local_optimality(solution, scores)
        row |= {name: np.asarray(getattr(test, name)) for name in ("neighbors", "score_gap", "locally_optimal")}
        row["assumption_b"] = np.asarray(assumption_b(scores, solution.selected))
    return row


def enumerate_lmm(problem: Problem) -> Row:
    """Return all m locally-optimal max-margin directions of a single problem.

    The arrays are "direction", (m, d), "selected", (m, n), and "count", m. Raises ValueError for a batch of more than
    one problem, a trained head, or too many selections.
    """
    if len(problem.tokens) != 1:
        raise ValueError(f"lmm_set: needs a single problem, got a batch of {len(problem.tokens)}")
    found = list(locally_optimal_directions(problem.keys[0], problem.scores()[0]))
    return {
        "direction": np.array([one.direction for one in found]),
        "selected": np.array([one.selected for one in found]),
        "count": np.array(len(found)),
    }
