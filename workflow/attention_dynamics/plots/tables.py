"""Tables as figures."""

import re
from collections.abc import Mapping

import matplotlib as mpl
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from attention_dynamics.plots.style import FAINT, panels

# One hue from light to dark, as published, which all forms of colour vision read; not so dark that text is lost on it.
SHADES, DARKEST = "Greens", 0.65
CHARACTER, LINE, MARGIN, NARROWEST = 0.068, 0.215, 0.75, 5.5
FONT_SIZE = 9
MARKUP = re.compile(r"[\\${}_]|(?<=\\)el")


def draw_table(shown: pd.DataFrame, shades: Mapping[str, NDArray] | None = None, *, summary: int = 0) -> Figure:
    """A figure of a table whose cells are texts.

    shades: of some columns, the numbers from 0 to 1 that their cells are shaded by. summary: how many rows at the end
    are set apart by a rule.
    """
    rows = [list(shown.columns), *shown.to_numpy().tolist()]
    widths = [2.5 + max(len(MARKUP.sub("", row[k])) for row in rows) for k in range(shown.shape[1])]
    figure, axes = panels(max(CHARACTER * sum(widths), NARROWEST), LINE * len(rows) + MARGIN)
    axes.set_axis_off()
    table = axes.table(
        rows, colWidths=[width / sum(widths) for width in widths], bbox=(0, 0, 1, 1), edges="open", cellLoc="center",
    )  # fmt: skip
    for above in {1, len(rows) - summary}:
        axes.axhline(1 - above / len(rows), color=FAINT, lw=0.6)
    axes.set(xlim=(0, 1), ylim=(0, 1))
    table.auto_set_font_size(False)
    table.set_fontsize(FONT_SIZE)
    for (row, column), cell in table.get_celld().items():
        if any(one[column][:1].isalpha() for one in rows[1:]):
            cell.set_text_props(ha="left")
        scores = (shades or {}).get(shown.columns[column])
        if row and scores is not None:
            # Of an open cell nothing is filled.
            cell.visible_edges = "closed"
            color = mpl.colormaps[SHADES](DARKEST * float(scores[row - 1]))
            cell.set(facecolor=color, fill=True, edgecolor="white")
    return figure
