"""Comparison of optimizers on problems in one call, in memory."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.comparison.cell import compute_cell
from attention_dynamics.comparison.entry import Entry
from attention_dynamics.comparison.report import Row, report
from attention_dynamics.comparison.starts import tuning_rows, with_random_starts
from attention_dynamics.optim.optimizer import Optimizer
from attention_dynamics.problems.problem import Problem

# Default numbers of steps of every training, of seeds on which a step size is chosen, and of random starts of a single
# data set.
STEPS, TUNING_SEEDS, SEEDS = 1000, 5, 15


def compare(
    optimizers: Mapping[str, Entry | Optimizer], problems: Mapping[str, Problem], *, steps: int = STEPS,
    tuning: int = TUNING_SEEDS, seeds: int = SEEDS,
) -> dict[str, NDArray[np.generic]]:  # fmt: skip
    """Return a table, heading -> array (rows,), with three rows for each problem and optimizer (``report.COLUMNS``).

    optimizers: name -> optimizer, whose step size is tuned over ``entry.BOX``, or ``Entry``. problems: name -> batch of
    problems, each of which counts as a seed; a batch of one problem is trained from ``seeds`` random starts, which then
    count as the seeds. tuning: values are chosen on the first ``tuning`` seeds; results on the other seeds are
    reported. For the headings see ``cell.compute_cell`` and ``report.report``. Entries that a row lacks, such as the
    results of an optimizer that could not be run, are NaN.
    Raises ValueError unless there are seeds for tuning and for the report.
    Raises ValueError for an optimizer without the setting that is to be tuned.
    Raises TypeError for a problem source in place of a problem.
    """
    for name, problem in problems.items():
        if not isinstance(problem, Problem):
            raise TypeError(f"problems: need built problems, source.build(), got {problem!r} for {name}")
    entries = {
        name: given if isinstance(given, Entry) else Entry(optimizer=given) for name, given in optimizers.items()
    }
    rows: list[Row] = []
    for problem_name, problem in problems.items():
        size = len(problem.tokens)
        repeats = seeds if size == 1 else 1
        if not 0 < tuning < size * repeats:
            raise ValueError(
                f"tuning: {problem_name} has {size * repeats} seeds, of which {tuning} cannot be for tuning"
            )
        started = with_random_starts(problem, repeats)
        first = tuning_rows(size, repeats, tuning)
        for name, entry in entries.items():
            cell = compute_cell(entry, started, steps, first)
            rows += report(cell, first, problem=problem_name, optimizer=name)
    columns = dict.fromkeys(name for row in rows for name in row)
    return {name: np.array([row.get(name, np.nan) for row in rows]) for name in columns}
