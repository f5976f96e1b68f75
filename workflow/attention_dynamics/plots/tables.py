"""Tables as figures."""

from collections.abc import Collection

import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from attention_dynamics.plots.style import FAINT, FULL_WIDTH, HALF_WIDTH, SMALL_FONT_SIZE, panels

# In inches: height of a row, space added to the width of the text in a cell, and space added to the height of a table.
LINE_HEIGHT_IN, PADDING_IN, MARGIN_IN = 0.155, 0.18, 0.12


def draw_table(cells: pd.DataFrame, *, summary: int = 0, winners: Collection[tuple[int, str]] = ()) -> Figure:
    """Return a figure of a table whose cells are texts.

    summary: number of rows at the end that a horizontal line separates from the rows above; with 0, the line is at the
    bottom. winners: (index of the row, name of the column) of each cell in bold type.
    """
    rows = [list(cells.columns), *cells.to_numpy().tolist()]
    widths = _widths(rows)
    width = min(max(sum(widths), HALF_WIDTH), FULL_WIDTH)
    figure, axes = panels(height=LINE_HEIGHT_IN * len(rows) + MARGIN_IN, width=width)
    axes.set_axis_off()
    table = axes.table(
        rows, colWidths=[one / sum(widths) for one in widths], bbox=(0, 0, 1, 1), edges="open", cellLoc="center",
    )  # fmt: skip
    for above in {1, len(rows) - summary}:
        axes.axhline(1 - above / len(rows), color=FAINT, lw=0.6)
    axes.set(xlim=(0, 1), ylim=(0, 1))
    table.auto_set_font_size(False)
    table.set_fontsize(SMALL_FONT_SIZE)
    bold = {(row + 1, list(cells.columns).index(name)) for row, name in winners}
    for (row, column), cell in table.get_celld().items():
        if any(one[column][:1].isalpha() for one in rows[1:]):
            cell.set_text_props(ha="left")
        if (row, column) in bold:
            cell.set_text_props(weight="bold")
    return figure


def _widths(rows: list[list[str]]) -> list[float]:
    """Return the width of each column in inches: that of its longest text plus PADDING_IN."""
    figure = Figure()
    renderer = FigureCanvasAgg(figure).get_renderer()
    text = figure.text(0, 0, "", fontsize=SMALL_FONT_SIZE)

    def measure(content: str) -> float:
        text.set_text(content)
        return float(text.get_window_extent(renderer).width / figure.dpi) if content else 0.0

    return [PADDING_IN + max(measure(row[k]) for row in rows) for k in range(len(rows[0]))]
