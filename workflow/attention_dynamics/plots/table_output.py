"""Tables of the papers as pages of Markdown, and the text of a mean with its standard deviation."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from attention_dynamics.markdown_table import frame_table, plain_text
from attention_dynamics.plots.labels import provenance
from attention_dynamics.problems.arrays import takes_arrays
from attention_dynamics.scaling import binary_scale


def to_markdown(cells: pd.DataFrame, label: Mapping[str, str]) -> str:
    """Return a page of Markdown: the title, the provenance and the table.

    cells: the table, all of whose cells are texts. label: with the keys title, fidelity, note and scale.
    """
    head = [f"# {plain_text(label['title'])}", "", plain_text(provenance(label)), ""]
    return "\n".join([*head, *frame_table(cells)]) + "\n"


@takes_arrays()
def mean_and_deviation(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return mean and standard deviation of a sample (k,).

    The divisor of the variance is k - 1; the deviation of a single number is NaN.
    """
    scale = float(binary_scale(values)[0])
    scaled = values / scale
    return scale * float(scaled.mean()), scale * float(scaled.std(ddof=1)) if len(values) > 1 else np.nan


def plus_minus(mean: float, deviation: float, digits: int) -> str:
    """Return "mean ± deviation" with ``digits`` decimals; "mean" if the deviation is NaN, "" if the mean is NaN."""
    if np.isnan(mean):
        return ""
    text = f"{mean:.{digits}f}"
    return text if np.isnan(deviation) else f"{text} ± {deviation:.{digits}f}"
