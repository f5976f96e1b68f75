"""From cells to a table: a value is chosen on the tuning seeds, and its results on the other seeds are reported.

A row is about an optimizer on a problem with one of three values of the tuned setting. Its entry "column" says which:
"default", the value in the configuration; "tuned", the value of the box with the least median of steps to cosine 0.99
on the tuning seeds; "hindsight", the best value of the box on the reported seeds themselves, which no rule could have
chosen.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.comparison.cell import FAILURES, FINITE, LEVELS
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Arrays
from attention_dynamics.series.confidence import Sample, estimate_median

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = DEFAULT, TUNED, HINDSIGHT = "default", "tuned", "hindsight"
REACHED, BUDGET = "reached", "budget"
# Step sizes are tuned for this target, and the status says whether it is reached.
TARGET = "cosine_99"
# Code of a failure -> name of the column with the number of seeds that fail in this way. INTEGERS: columns of integers.
FAILED_SEEDS = {code: f"seeds_{name.replace(' ', '_')}" for code, name in FAILURES.items()}
INTEGERS = ("budget_steps", "seeds", *FAILED_SEEDS.values())
Row = dict[str, Any]


def report(cell: Arrays, tuning: NDArray[np.bool_], **names: str) -> list[Row]:
    """Return a row for each of COLUMNS. names: the first entries of each row, "problem" and "optimizer".

    tuning: (problems,), True for the seeds on which the value is chosen; the other seeds are reported. Numbers are
    medians over the reported seeds ("..._low" and "..._high": the ends of 95 % intervals), shares of these seeds, and
    counts; "nearest_norm" is the most frequent one. If the cell has a "message", the rows have this message as
    "status", and no numbers.
    """
    if message := str(cell["message"]):
        return [{**names, "column": column, "status": message} for column in COLUMNS]
    chosen = {DEFAULT: 0, TUNED: choose(cell, tuning), HINDSIGHT: choose(cell, ~tuning)}
    return [{**names, "column": column, **_describe(cell, ~tuning, value)} for column, value in chosen.items()]


def choose(cell: Arrays, rows: NDArray[np.bool_]) -> int:
    """Return the index of the value of the box with the least median of steps to TARGET.

    rows: mask of the problems over which medians are taken, (problems,). Ties are decided by the smaller median of the
    misalignment, and then by the smaller value.
    """
    steps = np.median(cell[TARGET][rows], axis=0)
    distance = np.median(np.nan_to_num(cell["misalignment"][rows], nan=np.inf), axis=0)
    # The first value, the default, is left out, because it need not be in the box.
    return 1 + int(np.lexsort((distance[1:], steps[1:]))[0])


def status(cell: Arrays, rows: NDArray[np.bool_], value: int) -> str:
    """Return REACHED if the median of the steps to TARGET, over the problems in the mask ``rows``, is finite.

    Otherwise return the most frequent outcome of the trajectories that miss TARGET: BUDGET for those without a failure,
    or the name of a failure from FAILURES. value: index of the value of the tuned setting.
    """
    steps, failure = cell[TARGET][rows, value], cell["failure"][rows, value]
    if np.isfinite(np.median(steps)):
        return REACHED
    missed = failure[np.isinf(steps)]
    counts = {BUDGET: int((missed == FINITE).sum())}
    counts |= {name: int((missed == code).sum()) for code, name in FAILURES.items()}
    return max(counts, key=lambda name: counts[name])


def _describe(cell: Arrays, rows: NDArray[np.bool_], value: int) -> Row:
    steps, failure = cell[TARGET][rows, value], cell["failure"][rows, value]
    row: Row = {
        "status": status(cell, rows, value),
        "value": float(cell["value"][value]),
        # Index 0 is the default; the values of the box begin at index 1.
        "at_edge": value in (1, len(cell["value"]) - 1),
        "budget_steps": int(cell["steps"]),
        "seeds": int(rows.sum()),
        **{column: int((failure == code).sum()) for code, column in FAILED_SEEDS.items()},
        "share_reached": float(np.isfinite(steps).mean()),
    }
    for name in LEVELS:
        found = estimate_median(Sample.of(cell[name][rows, value], "problem"))
        row |= {f"steps_{name}": found.value, f"steps_{name}_low": max(found.low, 0.0)}
        row[f"steps_{name}_high"] = found.high
    for name in ("misalignment", "direction_rate", "loss_rate"):
        row[name] = _median(cell[name][rows, value])
    finite = failure == FINITE
    optimal = cell["optimal"][rows, value][finite]
    # Trajectories that failed count as not selecting the optimal tokens.
    row["share_optimal"] = float(np.nansum(optimal) / len(finite))
    norms, counts = np.unique(_known(cell["nearest_norm"][rows, value]), return_counts=True)
    row["nearest_norm"] = float(norms[counts.argmax()]) if len(norms) else np.nan
    return row


def tuning_rows(problems: int, repeats: int, tuning: int) -> NDArray[np.bool_]:
    """Return a mask of the rows of a batch that are for tuning, (problems * repeats,).

    If the problems are repeated from several starts, all problems from the first ``tuning`` starts are for tuning.
    Otherwise the first ``tuning`` problems are.
    """
    number = np.arange(problems * repeats)
    marks: NDArray[np.bool_] = number < tuning * (problems if repeats > 1 else 1)
    return marks


def join(shards: Sequence[Arrays]) -> Arrays:
    """Return the cell of a whole batch from the cells of its shards, or the first of them that has a message."""
    for shard in shards:
        if str(shard["message"]):
            return shard
    shared = ("value", "message", "steps", "cpu_s")
    return {
        name: array if name in shared else np.concatenate([shard[name] for shard in shards])
        for name, array in shards[0].items()
    }


def with_cpu(rows: Sequence[Row], cpu_s: Sequence[float]) -> list[Row]:
    """Return a row of processor times, in ms, for each of the given rows: for one step, and to reach each target.

    The times are those of one trajectory in a batch. A trajectory trained alone would take more, because the
    trajectories of a batch share work. cpu_s: for each shard, the processor time of training, in seconds per
    trajectory.
    """
    timed = []
    for row in rows:
        per_step = 1000 * float(np.mean(cpu_s)) / row["budget_steps"] if "budget_steps" in row else np.nan
        reached = {f"ms_{name}": per_step * row.get(f"steps_{name}", np.nan) for name in LEVELS}
        names = {name: row[name] for name in ("problem", "optimizer", "column")}
        timed.append({**names, "ms_per_step": per_step, **reached})
    return timed


def to_frame(rows: Sequence[Row]) -> "pd.DataFrame":
    """Return rows as a data frame. Columns in INTEGERS are of type Int64, which allows missing entries."""
    import pandas as pd  # imported here, because it takes a second and reading a configuration does not need it

    frame = pd.DataFrame(rows)
    return frame.astype({name: "Int64" for name in INTEGERS if name in frame})


def costs(rows: Sequence[Row], column: str, target: str = TARGET) -> tuple[list[str], list[str], Array]:
    """Return the names of problems and of optimizers, and the steps to a target, (problems, optimizers).

    column: one of COLUMNS; other rows are ignored. Steps are infinite where the status is not REACHED.
    """
    mine = [row for row in rows if row["column"] == column]
    problems, optimizers = (list(dict.fromkeys(row[name] for row in mine)) for name in ("problem", "optimizer"))
    table = np.full((len(problems), len(optimizers)), np.inf)
    for row in mine:
        if row["status"] == REACHED:
            table[problems.index(row["problem"]), optimizers.index(row["optimizer"])] = row[f"steps_{target}"]
    return problems, optimizers, table


def _known(values: Array) -> Array:
    known: Array = values[~np.isnan(values)]
    return known


def _median(values: Array) -> float:
    known = _known(values)
    return float(np.median(known)) if len(known) else float("nan")
