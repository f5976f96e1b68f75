"""Figure and table of a sweep: a measure at the end of training against a setting."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from attention_dynamics.plots.style import BLUE, panels

# The axis of a setting is logarithmic if all values are positive and the largest is at least this many times the
# smallest.
LOGARITHMIC_FROM = 20.0


def tabulate(values: Sequence[Any], measured: Sequence[NDArray[Any]], key: str, series: str) -> pd.DataFrame:
    """Return a table of a series at its last record, with a row for each value, problem and column of the series.

    values: values of the setting ``key``. measured: for each value, an array (records, problems, columns).
    """
    rows = [
        {key: value, "problem": problem, "column": column, series: float(number)}
        for value, array in zip(values, measured, strict=True)
        for (problem, column), number in np.ndenumerate(array[-1])
    ]
    return pd.DataFrame(rows)


def draw(table: pd.DataFrame, key: str, series: str) -> Figure:
    """Draw the median and the range of the column ``series`` for each value in the column ``key``, the setting."""
    groups = table.groupby(key, sort=False)[series]
    middle, low, high = groups.median(), groups.min(), groups.max()
    numeric = all(isinstance(value, int | float) and not isinstance(value, bool) for value in middle.index)
    places = middle.index.to_numpy() if numeric else np.arange(len(middle))
    figure, axes = panels(height=2.0)
    if len(table) > len(middle):
        axes.vlines(places, low, high, color=BLUE, lw=0.8, alpha=0.6, label="range")
    axes.plot(places, middle, "o-", color=BLUE, label="median")
    if numeric and min(places) > 0 and max(places) / min(places) >= LOGARITHMIC_FROM:
        axes.set_xscale("log")
    if not numeric:
        axes.set_xticks(places, [str(value) for value in middle.index])
    axes.set(xlabel=key.rpartition(".")[2].replace("_", " "), ylabel=series.replace("_", " "))
    if len(table) > len(middle):
        axes.legend()
    return figure


def label(spec: Mapping[str, Any]) -> dict[str, str]:
    """Return the texts of the figure. spec: see ``pipeline.variants.AllJobs._sweep``."""
    values = ", ".join(str(value) for value in spec["values"])
    return {
        "paper": spec["paper"], "figure": spec["name"], "scale": spec["scale"], "data": "",
        "fidelity": spec["fidelity"],
        "title": f"Sweep: {spec['series'].replace('_', ' ')} of {spec['run'].replace('_', ' ')}",
        "shows": "median and range over problems and starts at the end of training",
        "note": f"{spec['key'].replace('_', ' ')} = {values}; from config/variants/{spec['name']}.yaml",
    }  # fmt: skip
