"""From cells to a table: a value is chosen on the tuning seeds, and its results on the other seeds are reported.

A row is about an optimizer on a problem with one of three values of the tuned setting. Its entry "column" says which:
"default", the value in the configuration; "tuned", the value of the box with the least median of steps to cosine 0.99
on the tuning seeds; "hindsight", the best value of the box on the reported seeds themselves, which no rule could have
chosen.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from attention_dynamics.comparison.cell import FAILURES, FINITE, LEVELS, RESULTS
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Arrays
from attention_dynamics.series.confidence import Sample, estimate_median

COLUMNS = DEFAULT, TUNED, HINDSIGHT = "default", "tuned", "hindsight"
REACHED = "reached"
# Code of how a trajectory ends -> the status of a row whose trajectories miss TARGET in this way.
OUTCOMES = {FINITE: "budget", **FAILURES}
# Step sizes are tuned for this target, and the status says whether it is reached.
TARGET = "cosine_99"
# Code of a failure -> name of the column with the number of seeds that fail in this way. INTEGERS: columns of integers.
FAILED_SEEDS = {code: f"seeds_{name.replace(' ', '_')}" for code, name in FAILURES.items()}
INTEGERS = ("budget_steps", "seeds", *FAILED_SEEDS.values())
Row = dict[str, Any]


def report(cell: Arrays, tuning: int, **names: str) -> list[Row]:
    """Return a row for each of COLUMNS. names: the first entries of each row, "problem" and "optimizer".

    tuning: the value is chosen on the first ``tuning`` seeds; the other seeds are reported. Numbers are medians over
    the reported seeds ("..._low" and "..._high": the ends of 95 % intervals), shares of these seeds, and counts;
    "nearest_norm" is the most frequent one. If the cell has a "message", the rows have this message as "status", and
    no numbers.
    """
    if message := str(cell["message"]):
        return [{**names, "column": column, "status": message} for column in COLUMNS]
    reported = slice(tuning, None)
    chosen = {DEFAULT: 0, TUNED: choose(cell, slice(tuning)), HINDSIGHT: choose(cell, reported)}
    return [{**names, "column": column, **_describe(cell, reported, value)} for column, value in chosen.items()]


def choose(cell: Arrays, seeds: slice) -> int:
    """Return the index of the value of the box with the least median of steps to TARGET over some of the seeds.

    Ties are decided by the smaller median of the misalignment, and then by the smaller value.
    """
    steps = np.median(cell[TARGET][seeds], axis=0)
    distance = np.median(np.nan_to_num(cell["misalignment"][seeds], nan=np.inf), axis=0)
    # The first value, the default, is left out, because it need not be in the box.
    return 1 + int(np.lexsort((distance[1:], steps[1:]))[0])


def _describe(cell: Arrays, seeds: slice, value: int) -> Row:
    """Return the numbers of a row. value: index of the value of the tuned setting.

    The status is REACHED if the median of the steps to TARGET is finite. Otherwise it is the most frequent outcome of
    the trajectories that miss TARGET.
    """
    # A missing result, of a trajectory that failed for example, is NaN, which the functions of pandas leave out.
    results = pd.DataFrame({name: cell[name][seeds, value] for name in RESULTS})
    steps, failure = results[TARGET], results["failure"]
    reached = np.isfinite(steps)
    row: Row = {
        "status": REACHED if np.isfinite(np.median(steps)) else OUTCOMES[failure[~reached].mode()[0]],
        "value": float(cell["value"][value]),
        # Index 0 is the default; the values of the box begin at index 1.
        "at_edge": value in (1, len(cell["value"]) - 1),
        "budget_steps": int(cell["steps"]),
        "seeds": len(results),
        **{column: int((failure == code).sum()) for code, column in FAILED_SEEDS.items()},
        "share_reached": float(reached.mean()),
    }
    for name in LEVELS:
        found = estimate_median(Sample.of(results[name].to_numpy(), "problem"))
        row |= {f"steps_{name}": found.value, f"steps_{name}_low": max(found.low, 0.0)}
        row[f"steps_{name}_high"] = found.high
    row |= {name: float(results[name].median()) for name in ("misalignment", "direction_rate", "loss_rate")}
    # Trajectories that failed count as not selecting the optimal tokens.
    row["share_optimal"] = float(results["optimal"].sum() / len(results))
    return row | {"nearest_norm": float(results["nearest_norm"].mode().get(0, np.nan))}


def join(shards: Sequence[Arrays]) -> Arrays:
    """Return the cell of a whole batch from the cells of its shards, or the first of them that has a message."""
    for shard in shards:
        if str(shard["message"]):
            return shard
    return shards[0] | {name: np.concatenate([shard[name] for shard in shards]) for name in RESULTS}


def to_frame(rows: Sequence[Row]) -> pd.DataFrame:
    """Return the rows of ``report`` as a table. Columns in INTEGERS are of type Int64, which allows missing entries."""
    frame = pd.DataFrame(rows)
    return frame.astype({name: "Int64" for name in INTEGERS if name in frame})


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


def costs(rows: Sequence[Row], column: str) -> tuple[list[str], list[str], Array]:
    """Return the names of problems and of optimizers, and the steps to TARGET, (problems, optimizers).

    column: one of COLUMNS; other rows are ignored. Steps are infinite where the status is not REACHED.
    """
    mine = [row for row in rows if row["column"] == column]
    problems, optimizers = (list(dict.fromkeys(row[name] for row in mine)) for name in ("problem", "optimizer"))
    table = np.full((len(problems), len(optimizers)), np.inf)
    for row in mine:
        if row["status"] == REACHED:
            table[problems.index(row["problem"]), optimizers.index(row["optimizer"])] = row[f"steps_{TARGET}"]
    return problems, optimizers, table
