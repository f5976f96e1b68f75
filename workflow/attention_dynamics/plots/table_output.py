"""Tables of the papers as files: CSV for programs, with all digits, and Markdown for people."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from attention_dynamics.plots.labels import stamp


def to_csv(table: pd.DataFrame) -> str:
    """A line for every row; floats with the digits that tell them from all others, missing numbers empty."""
    return table.to_csv(index=False, lineterminator="\n")


def to_markdown(shown: pd.DataFrame, label: Mapping[str, str]) -> str:
    """A page: the title, what the table is, and the table, all of whose cells are texts.

    label: title, fidelity, note and scale, which a figure bears too.
    """
    rows = [list(shown.columns), ["---"] * shown.shape[1], *shown.to_numpy().tolist()]
    lines = [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows]
    return "\n".join([f"# {label['title']}", "", stamp(label), "", *lines]) + "\n"


def mean_and_deviation(values: NDArray) -> tuple[float, float]:
    """Of a sample (k,): its mean, and its deviation, divided by k - 1; NaN for a single number."""
    return float(values.mean()), float(values.std(ddof=1)) if len(values) > 1 else np.nan


def plus_minus(mean: float, deviation: float, digits: int) -> str:
    """A cell as papers print it, without a deviation that is NaN, and empty for such a mean."""
    if np.isnan(mean):
        return ""
    shown = f"{mean:.{digits}f}"
    return shown if np.isnan(deviation) else f"{shown} ± {deviation:.{digits}f}"
