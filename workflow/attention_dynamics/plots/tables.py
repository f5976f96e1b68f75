"""Tables as figures."""

import re
from collections.abc import Mapping

import matplotlib as mpl
import pandas as pd
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from numpy.typing import NDArray

from attention_dynamics.plots.style import FAINT, INK, panels

# One hue from light to dark, as published; it is read by all forms of colour vision.
SHADES = "Greens"
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
    table.auto_set_font_size(False)
    table.set_fontsize(FONT_SIZE)
    for (row, column), cell in table.get_celld().items():
        cell.set(edgecolor=FAINT, linewidth=0.6, visible_edges="")
        cell.PAD = 0.5 * CHARACTER
        if row in (0, len(rows) - 1 - summary):
            cell.visible_edges = "B"
        if any(one[column][:1].isalpha() for one in rows[1:]):
            cell.set_text_props(ha="left")
        scores = (shades or {}).get(shown.columns[column])
        if row and scores is not None:
            color = mpl.colormaps[SHADES](float(scores[row - 1]))
            cell.set(facecolor=color, fill=True)
            cell.set_text_props(color="white" if _luminance(color) < 0.4 else INK)
    return figure


def _luminance(color: tuple) -> float:
    """From 0, black, to 1, white, of what a screen shows."""
    red, green, blue = to_rgb(color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
