"""Tables of a comparison for people: a row for each optimizer, then a row for each problem and optimizer."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from attention_dynamics.comparison.cell import FAILURES
from attention_dynamics.comparison.profiles import performance_ratios, profile_area
from attention_dynamics.comparison.report import COLUMNS, FAILED_SEEDS, HINDSIGHT, REACHED, TUNED, Row, costs
from attention_dynamics.markdown_table import frame_table, plain_text
from attention_dynamics.plots.labels import provenance

# Areas under the profiles are cut off at this ratio.
LARGEST_RATIO = 16.0
# Marks for a value at the edge of its box, and for a value that no rule could have chosen.
EDGE, UNFAIR = "!", "*"
LEGEND = (
    f"Steps are medians over the reported seeds, with 95 % intervals. `{EDGE}`: the chosen value is at the edge of its "
    f"box, so that a wider box may do better. `{UNFAIR}`: chosen in hindsight, on the reported seeds themselves. "
    "Failed seeds: of the reported ones, with the tuned value. Optimal: share of the seeds that end at the optimal "
    "tokens. Rates: the $a$ with which $1 - \\cos$ and the risk "
    "above its infimum fall as $t^{-a}$ in the second half of training."
)


def summarize(rows: Sequence[Row]) -> pd.DataFrame:
    """Return a data frame of texts with a row for each optimizer. rows: as ``report.report`` returns them."""
    tables = {column: costs(rows, column) for column in COLUMNS}
    optimizers = tables[TUNED][1]
    areas = profile_area(performance_ratios(tables[TUNED][2]), LARGEST_RATIO)
    lines = []
    for k, name in enumerate(optimizers):
        tuned = [row for row in rows if row["optimizer"] == name and row["column"] == TUNED]
        statuses = pd.Series([row["status"].split(":")[0] for row in tuned]).value_counts(sort=False)
        solved = {column: int(np.isfinite(table[:, k]).sum()) for column, (_, _, table) in tables.items()}
        lines.append({
            "optimizer": name,
            **{_heading(column): f"{count} of {len(tuned)}" for column, count in solved.items()},
            "area of profile": f"{areas[k]:.2f}",
            "at the edge": str(sum(bool(row.get("at_edge")) for row in tuned)),
            "status when tuned": ", ".join(f"{count} {status}" for status, count in statuses.items()),
        })  # fmt: skip
    return pd.DataFrame(lines)


def details(rows: Sequence[Row]) -> pd.DataFrame:
    """Return a data frame of texts with a row for each problem and optimizer."""
    lines = []
    for problem, optimizer in dict.fromkeys((row["problem"], row["optimizer"]) for row in rows):
        mine = {row["column"]: row for row in rows if (row["problem"], row["optimizer"]) == (problem, optimizer)}
        tuned = mine[TUNED]
        lines.append({
            "problem": problem,
            "optimizer": optimizer,
            **{_heading(column): _steps(mine[column], "cosine_99") for column in COLUMNS},
            "tuned value": _value(tuned),
            "to cosine 0.999": _steps(tuned, "cosine_999"),
            "to softmax 0.99": _steps(tuned, "softmax_99"),
            "rates": " ".join(_number(tuned, name, ".3g") for name in ("direction_rate", "loss_rate")),
            "failed seeds": _failed(tuned),
            "optimal": _number(tuned, "share_optimal", ".0%"),
            "nearest norm": _number(tuned, "nearest_norm", "g"),
        })  # fmt: skip
    return pd.DataFrame(lines)


def to_markdown(rows: Sequence[Row], label: Mapping[str, str]) -> str:
    """Return the page of a comparison, in Markdown. label: title and provenance, as printed on the figure."""
    lines = [f"# {label['title']}", "", provenance(label), "", LEGEND, "", "## Optimizers", ""]
    lines += ["Solved: problems with a median of steps to cosine 0.99 within the budget.", ""]
    lines += [*frame_table(summarize(rows)), "", "## Optimizers on problems", ""]
    lines += ["Steps to cosine 0.99, if not said otherwise.", "", *frame_table(details(rows))]
    return "\n".join(lines) + "\n"


def _heading(column: str) -> str:
    return column + UNFAIR * (column == HINDSIGHT)


def _steps(row: Row, target: str) -> str:
    """Return the steps to a target, a key of LEVELS, with their interval.

    If the target is not reached, return the status of the row for cosine 0.99, and an empty text for other targets.
    """
    if row["status"] != REACHED and target == "cosine_99":
        return plain_text(str(row["status"]))
    middle, low, high = (row.get(f"steps_{target}{end}", np.nan) for end in ("", "_low", "_high"))
    return f"{middle:g} [{low:g}, {high:g}]" if np.isfinite(middle) else ""


def _value(row: Row) -> str:
    return _number(row, "value", ".2g") + EDGE * bool(row.get("at_edge"))


def _failed(row: Row) -> str:
    """Return how many of the reported seeds fail in each way, such as "1 not finite"; empty if none fails."""
    counts = {FAILURES[code]: row.get(column, 0) for code, column in FAILED_SEEDS.items()}
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count)


def _number(row: Row, name: str, form: str) -> str:
    value: Any = row.get(name, np.nan)
    # Adding 0.0 removes the sign of a negative zero.
    return "" if np.isnan(value) else format(value + 0.0, form)
