"""Cell of a comparison: one optimizer on one batch of problems, with all values of its tuned setting at once.

Arrays have an axis of values in place of the axis of starts; results are arrays (problems, values). Problems do not
affect each other, so the cells of parts of a batch can be computed separately and joined.
"""

import time
import traceback
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.attention.descent import descend
from attention_dynamics.attention.losses.logistic import Logistic
from attention_dynamics.attention.losses.risk_gap import log_risk_gap
from attention_dynamics.comparison.entry import Entry
from attention_dynamics.comparison.starts import change_arrays, model_of
from attention_dynamics.margins.lp_max_margin import solve_lp_max_margins
from attention_dynamics.margins.max_margin import Solution
from attention_dynamics.margins.selected_tokens import mean_largest_probability
from attention_dynamics.margins.token_solution import token_differences
from attention_dynamics.measures.products import products
from attention_dynamics.optim.gradient import ScaledGradient, StepContext, expand_trailing
from attention_dynamics.optim.optimizer import Optimizer, State, checked_update
from attention_dynamics.problems.problem import Array, Problem
from attention_dynamics.progress import log, one_line
from attention_dynamics.run import Arrays, prompt_of
from attention_dynamics.scaling import unit_vectors
from attention_dynamics.training import recorded_steps

# Name of an array of steps in a cell -> the target that the steps are counted to, a cosine or a softmax probability.
LEVELS = {"cosine_99": 0.99, "cosine_999": 0.999, "softmax_99": 0.99}
# Names of the arrays (problems, values) in a cell.
RESULTS = (*LEVELS, "misalignment", "direction_rate", "loss_rate", "optimal", "nearest_norm", "failure")
# Exponents of the norms whose SVMs are compared with the direction at the end.
NORMS = (1.1, 1.75, 2.0, 3.0)
# Unit vectors with at most this squared distance count as equal. If the directions of the SVMs in all NORMS are equal,
# none of them is the nearest.
COINCIDENT_SQUARE = 1e-12
# Only the last step and steps with at most two significant digits are recorded. The number of steps to a target is
# therefore exact up to 100, rounded up to a multiple of 10 up to 1,000, and so on.
RECORD_DIGITS = 2
# How a trajectory ends: codes in the array "failure", and the names of failures in the table and the log.
FINITE, DIVERGED, NOT_FINITE = 0.0, 1.0, 2.0
FAILURES = {DIVERGED: "diverged", NOT_FINITE: "not finite"}
# Memory for the records of the problems that are trained together, in bytes. No result depends on it, because problems
# do not affect each other.
RECORD_BYTES = 64_000_000


def compute_cell(entry: Entry, problem: Problem, steps: int, tuning: int = 0) -> Arrays:
    """Train a batch of problems with every value of an entry's tuned setting, and measure each trajectory.

    problem: provides a start for each trained parameter, see ``with_random_starts``. tuning: the first ``tuning``
    problems are for tuning; their "nearest_norm" is NaN, because it is not reported and its SVMs take most of the time.

    Returns "steps", the argument; "value", (values,), the values of the tuned setting, the default first; and arrays
    (problems, values). The cosine in these arrays is between p or W and the solution of the SVM, in the norm of the
    entry, for the tokens that the trajectory selects at the end.
    "cosine_99", "cosine_999", "softmax_99": the first recorded step from which the cosine, or the mean over the inputs
        of the largest softmax probability, stays at 0.99 or 0.999 or more; infinity if there is none.
    "misalignment": 1 - cosine at the end. "direction_rate", "loss_rate": the a with which 1 - cosine, or the risk above
        its infimum, falls as t^-a, by least squares over the second half of the steps.
    "optimal": 1 where the optimal tokens are selected at the end, else 0. "nearest_norm": the one of NORMS whose SVM is
        nearest by angle; NaN where the SVMs in all norms coincide, or one of them has no solution.
    Arrays from "misalignment" to here are NaN where the trajectory fails, and rates also where the fit is not finite.
    "failure": FINITE; DIVERGED, where a parameter or its gradient overflows, or the risk at the end is NaN or larger
        than at the start; NOT_FINITE, where the optimizer returns NaN for a finite gradient. Failures are printed.
    "message" is empty, or says why the optimizer could not be run; the cell then has no results, see ``failed_cell``.
    "cpu_s" is the processor time of training, in seconds per trajectory; it differs from run to run.
    """
    numbers = len(recorded_steps(steps, record_digits=RECORD_DIGITS)) * len(entry.values)
    numbers *= prompt_of(problem.starts).shape[-1] + 2 * problem.optimal.shape[1] * problem.tokens.shape[2]
    rows = max(1, RECORD_BYTES // (8 * numbers))
    parts, spent = [], 0.0
    for first in range(0, len(problem.tokens), rows):
        part = change_arrays(problem, itemgetter(slice(first, first + rows)))
        began = time.process_time()
        try:
            trained, failure = _train(entry, part, steps)
        except NotImplementedError as error:
            missing = type(entry.optimizer).update is Optimizer.update
            reason = one_line(error) or ("it has no method update" if missing else "no reason given")
            return failed_cell(f"not applicable: {reason}")
        except Exception as error:  # a user's optimizer may raise anything
            log(traceback.format_exc())
            return failed_cell(f"error: {type(error).__name__}: {one_line(error)}")
        spent += time.process_time() - began
        reported = np.arange(first, first + len(part.tokens)) >= tuning
        parts.append(_measure(trained, failure, part, entry, reported))
    joined: Arrays = {name: np.concatenate([part[name] for part in parts]) for name in RESULTS}
    cpu = np.array(spent / joined["failure"].size)
    return {"value": entry.values, "message": np.array(""), "steps": np.array(steps), "cpu_s": cpu, **joined}


def compute_plugin_cell(kind: str, problem: Problem, steps: int, tuning: int = 0, file: str | None = None) -> Arrays:
    """Return the cell of an optimizer of which only the kind is given; its entry is ``Entry.of_kind(kind, file)``.

    Other arguments: see ``compute_cell``. Any error of the optimizer becomes the "message" of this cell, so that the
    comparison goes on.
    """
    try:
        entry = Entry.of_kind(kind, file)
    except ImportError as error:
        log(traceback.format_exc())
        # Remove the current folder from the message, so that the results are the same bytes in every folder.
        return failed_cell("error: " + one_line(error).replace(f"{Path.cwd()}/", ""))
    except ValueError as error:
        return failed_cell(f"not applicable: {one_line(error)}")
    return compute_cell(entry, problem, steps, tuning)


def failed_cell(message: str) -> Arrays:
    """Return the cell of an optimizer that could not be run: its "message", and NaN as its "cpu_s"."""
    return {"message": np.array(message), "cpu_s": np.array(np.nan)}


class _Watched:
    """Wrapper of an optimizer that marks and prints failures: trajectories with an update that is not finite.

    In a step with such an update, all trajectories that have failed keep their parameter.
    name: the name of the parameter. failure: (problems, starts), the array in which the codes of new failures are
    written. ``update`` raises the errors of ``checked_update``, and adds a hint to some of them.
    """

    def __init__(self, name: str, optimizer: Optimizer, failure: Array) -> None:
        self.name, self.optimizer, self.failure = name, optimizer, failure

    def init(self, parameter: Array) -> State:
        return self.optimizer.init(parameter)

    def update(
        self, gradient: ScaledGradient, state: State, parameter: Array, context: StepContext
    ) -> tuple[Array, State]:
        try:
            moved, state = checked_update(self.optimizer, gradient, state, parameter, context)
        except (KeyError, ValueError) as error:
            if hint := _hint(error, state):
                error.add_note(hint)
            raise
        # The sum is a fast test, because it is not finite if one of its terms is not.
        if not np.isfinite(np.sum(moved)):
            self._mark_failures(moved, gradient, context.iteration + 1)
            moved = np.where(expand_trailing(self.failure != FINITE, moved), parameter, moved)
        return moved, state

    def _mark_failures(self, moved: Array, gradient: ScaledGradient, step: int) -> None:
        entries = tuple(range(2, moved.ndim))
        new = self.failure == FINITE
        # A NaN beside an infinite coordinate counts as an overflow, because an infinite step turns a zero coordinate
        # into NaN. A NaN that follows from a gradient that is not finite also counts as an overflow.
        overflow = np.isinf(moved).any(entries) | ~np.isfinite(gradient.value()).all(entries)
        undefined = ~overflow & np.isnan(moved).any(entries)
        _mark(self.failure, new & overflow, DIVERGED, f"{self.name} or its gradient overflows at step {step}")
        _mark(self.failure, new & undefined, NOT_FINITE, f"{self.name} is NaN at step {step}")


def _mark(failure: Array, where: NDArray[np.bool_], code: float, what: str) -> None:
    """Set ``failure`` to ``code`` where ``where`` is True, in place; both are (problems, values).

    Print ``what``, with the first of these trajectories and the number of the others.
    """
    failure[where] = code
    if where.any():
        problem, value = np.argwhere(where)[0]
        others = f" and {where.sum() - 1} others" if where.sum() > 1 else ""
        log(f"{FAILURES[code]}: {what} (problem {problem}, value {value}{others})")


def _hint(error: Exception, state: State) -> str:
    """Return a hint on the cause of an error that ``update`` raises; empty if there is none."""
    if isinstance(error, KeyError) and isinstance(state, dict) and error.args[0] not in list(state):
        known = f"has {', '.join(map(repr, state))}" if state else "is empty"
        return f"the state {known}: init and update must return all that the optimizer remembers"
    if "could not be broadcast" in str(error):
        return "to use a setting with a number for each start, write per_start(self.step_size, parameter)"
    return ""


def _train(entry: Entry, problem: Problem, steps: int) -> tuple[dict[str, Array], Array]:
    """Return the trajectory of every problem and value, and the codes of failures, (problems, values).

    The trajectory has "step", (records,), and parameter name -> (records, problems, values, ...).
    """
    bound = model_of(problem).bind(problem, Logistic())
    trajectories, failures = [], []
    for optimizer, starts in entry.optimizers():
        failure = np.full((len(problem.tokens), starts), FINITE)
        watched: dict[str, Any] = {name: _Watched(name, optimizer, failure) for name in problem.starts}
        points = {name: np.repeat(given[:, :1], starts, axis=1) for name, given in problem.starts.items()}
        records = recorded_steps(steps, record_digits=RECORD_DIGITS)
        trajectories.append(descend(bound, watched, points, record_steps=records, allow_divergence=True))
        failures.append(failure)
    joined = {name: np.concatenate([one[name] for one in trajectories], axis=2) for name in problem.starts}
    return {"step": np.asarray(trajectories[0]["step"], dtype=float), **joined}, np.concatenate(failures, axis=1)


def _measure(
    trajectory: dict[str, Array], failure: Array, problem: Problem, entry: Entry, reported: NDArray[np.bool_]
) -> Arrays:
    """Return the arrays (problems, values) of ``compute_cell``. reported: (problems,), False for tuning problems."""
    steps, p = trajectory["step"], prompt_of(trajectory)
    # Suppress warnings: failed trajectories may have huge numbers, and their results become NaN or infinity below.
    with np.errstate(all="ignore"):
        logits = products(problem.keys, p)
        if problem.head is None:
            scores = problem.labels[:, None, :, None] * products(problem.tokens, trajectory["v"])
        else:
            scores = problem.scores()[None, :, None]
        log_gap = log_risk_gap(logits, scores, Logistic(), fixed_head=problem.head is not None)
        softmax = mean_largest_probability(logits)
        unit = unit_vectors(p)
    rises = (failure == FINITE) & ~(log_gap[-1] <= log_gap[0])
    _mark(failure, rises, DIVERGED, "the risk ends above that at the start")
    selected = logits[-1].argmax(-1)
    finite = failure == FINITE
    directions = _directions(problem, selected, finite, reported, entry.norm)
    # This is 1 - cosine, computed without cancellation.
    misaligned = np.square(unit - directions[entry.norm]).sum(-1) / 2
    ends = np.stack([directions[norm] for norm in NORMS])
    distances = np.square(unit[-1] - ends).sum(-1)
    distinct = np.square(ends - ends[0]).sum(-1).max(0) > COINCIDENT_SQUARE
    nearest = np.where(distinct & reported[:, None], np.array(NORMS)[np.nan_to_num(distances).argmin(0)], np.nan)
    with np.errstate(all="ignore"):
        rates = {"direction_rate": np.log(misaligned), "loss_rate": log_gap}
    # Key of LEVELS -> how far the cosine or the probability is below 1.
    missing = {"cosine_99": misaligned, "cosine_999": misaligned, "softmax_99": 1 - softmax}
    return {
        **{name: _first_staying(steps, missing[name] <= 1 - level, finite) for name, level in LEVELS.items()},
        "misalignment": np.where(finite, misaligned[-1], np.nan),
        **{name: np.where(finite, _power(steps, values), np.nan) for name, values in rates.items()},
        "optimal": np.where(finite, (selected == problem.optimal[:, None]).all(-1), np.nan),
        "nearest_norm": np.where(finite, nearest, np.nan),
        "failure": failure,
    }


def _directions(
    problem: Problem, selected: NDArray[np.int64], wanted: NDArray[np.bool_], reported: NDArray[np.bool_], own: float
) -> dict[float, Array]:
    """Return exponent -> directions of the SVMs of selected tokens, (problems, values, dimension of keys).

    The exponents are ``own`` and NORMS. selected: (problems, values, inputs), indices of tokens. wanted: (problems,
    values), True for trajectories that need a direction. reported: (problems,), True for problems that need it for all
    exponents; the others need it for ``own`` only. Directions that are not needed or do not exist are NaN.
    """
    # Several problems may share their keys, and several values may select the same tokens: each program is solved once.
    keys = problem.keys
    data = [one.tobytes() for one in keys]
    programs: dict[tuple[bytes, bytes], int] = {}
    number = np.full(wanted.shape, -1)
    constraints: list[Array] = []
    for row, value in np.argwhere(wanted):
        tokens = selected[row, value]
        number[row, value] = programs.setdefault((data[row], tokens.tobytes()), len(programs))
        if len(programs) > len(constraints):
            constraints.append(token_differences(keys[row], tokens))
    needed = np.isin(np.arange(len(programs)), number[reported])
    # The last row, NaN, is for trajectories without a program, whose number is -1.
    directions = {p: np.full((len(programs) + 1, keys.shape[-1]), np.nan) for p in {own, *NORMS}}
    for some, exponents in ((~needed, [own]), (needed, list(directions))):
        if not some.any():
            continue
        batch = np.stack(constraints)[some]
        answers = solve_lp_max_margins(batch, np.ones(batch.shape[1]), exponents)
        for p, found in zip(exponents, answers, strict=True):
            for k, answer in zip(np.flatnonzero(some), found, strict=True):
                if isinstance(answer, Solution):
                    directions[p][k] = answer.direction
    return {p: found[number] for p, found in directions.items()}


def _first_staying(steps: Array, reached: NDArray[np.bool_], finite: NDArray[np.bool_]) -> Array:
    """Return the first recorded steps from which a target stays reached, (...).

    They are infinite where the target is missed at the last record, or where ``finite``, (...), is False. steps:
    (records,). reached: (records, ...).
    """
    missed = ~reached
    after_last = np.where(missed.any(0), len(steps) - missed[::-1].argmax(0), 0)
    first: Array = np.append(steps, np.inf)[after_last]
    return np.where(finite, first, np.inf)


def _power(steps: Array, log_values: Array) -> Array:
    """Return the a, (...), with which values fall as t^-a over the second half of the steps; NaN if it is not finite.

    log_values: (records, ...), the natural logarithms of the values; the line through them is fitted by least squares.
    """
    late = steps >= steps[-1] / 2
    x = np.log(steps[late])
    x = x - x.mean()
    # Sum over a contiguous last axis, so that results do not depend, bit for bit, on the number of problems.
    y = np.ascontiguousarray(np.moveaxis(log_values[late], 0, -1))
    with np.errstate(all="ignore"):
        slope: Array = (x * y).sum(-1) / (x * x).sum()
    return np.where(np.isfinite(slope), -slope, np.nan)
