"""The CSV file of a figure has the numbers that are drawn."""

import csv
from io import StringIO

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from attention_dynamics.plots.numbers import drawn_numbers
from attention_dynamics.plots.style import PANEL, legend, panels, paper_style

TITLE = r"Loss $\mathcal{L}$"
LABEL = {"paper": "a", "figure": "fig1", "title": TITLE, "fidelity": "exact", "note": "", "scale": "laptop"}
X = np.linspace(0.1, 2.3, 7)
Y = np.sin(X) / 3


def table(figure: Figure) -> pd.DataFrame:
    return pd.read_csv(StringIO(drawn_numbers(figure, LABEL)), comment="#", keep_default_na=True)


def figure_with(draw) -> pd.DataFrame:
    """Return the table of a figure with one panel."""
    with paper_style():
        figure, axes = panels()
        draw(axes)
        return table(figure)


def equal(column: pd.Series, expected) -> bool:
    """Ten digits are written."""
    return np.allclose(column.to_numpy(float), expected, rtol=1e-9, atol=0)


def test_line_and_points_have_their_places():
    found = figure_with(lambda axes: (axes.plot(X, Y, label="$p(t)$"), axes.plot(X, 2 * Y, "o", label="twice")))
    line, points = found[found.series == "p(t)"], found[found.series == "twice"]
    assert (set(line.kind), set(points.kind)) == ({"line"}, {"point"})
    assert equal(line.x, X)
    assert equal(line.y, Y)
    assert equal(points.y, 2 * Y)
    assert list(found.columns) == ["series", "kind", "number", "x", "y"]


def test_missing_values_have_no_row():
    found = figure_with(lambda axes: axes.plot(X, np.where(X > 1, Y, np.nan)))
    assert equal(found.x, X[X > 1])


def test_bands_and_error_bars_have_low_and_high():
    kept = np.array([True, True, True, False, True, True, True])

    def draw(axes):
        axes.fill_between(X, Y - 1, Y + 2, label="range")
        axes.fill_between(X, Y, Y + 1, where=kept, label="interrupted")
        axes.errorbar(X, Y, [X / 9, X / 7], fmt="o", label="mean")

    found = figure_with(draw)
    for series, x, low, high in (
        ("range", X, Y - 1, Y + 2),
        ("interrupted", X[kept], Y[kept], (Y + 1)[kept]),
        ("mean", X, Y - X / 9, Y + X / 7),
    ):
        rows = found[found.series == series]
        assert equal(rows.x, x)
        assert equal(rows.low, low)
        assert equal(rows.high, high)
    assert equal(rows.y, Y)


def test_bars_bins_and_cells_have_values():
    def draw(axes):
        axes.bar([0, 1], [3.5, 0.25], label="share")
        axes.stairs([1.5, 2.5], [0, 0.5, 2], label="bins")
        axes.imshow([[1.0, 2.0, 3.0], [4.0, 5.0, np.nan]])

    def rows(found, kind, *columns):
        return found[found.kind == kind][list(columns)].to_numpy().tolist()

    found = figure_with(draw)
    assert rows(found, "bar", "x", "y") == [[0, 3.5], [1, 0.25]]
    assert rows(found, "bin", "low", "high", "value") == [[0, 0.5, 1.5], [0.5, 2, 2.5]]
    assert rows(found, "cell", "x", "y", "value") == [[0, 0, 1], [1, 0, 2], [2, 0, 3], [0, 1, 4], [1, 1, 5]]
    # An image from below has its rows in its extent.
    found = figure_with(lambda axes: axes.imshow([[1.0], [2.0]], origin="lower", extent=(0, 10, -1, 3)))
    assert rows(found, "cell", "x", "y", "value") == [[5, 0, 1], [5, 2, 2]]


def test_colored_image_has_names_of_its_legend():
    def draw(axes):
        axes.imshow(np.array([[[1.0, 0, 0], [0, 0, 1.0]]]))
        axes.bar([0], [0], color="#ff0000", label="red end")
        axes.legend()

    found = figure_with(draw)
    assert found[found.kind == "cell"].series.tolist() == ["red end", "color 0000ff"]


def test_named_lines_across_axes_stay():
    def draw(axes):
        axes.axhline(0.5, label="chance")
        axes.axvline(2.5, label="end")
        axes.axhline(7)
        axes.annotate("", (1, 1), (0, 0), arrowprops={})

    found = figure_with(draw)
    assert found[["series", "kind"]].to_numpy().tolist() == [["chance", "reference"], ["end", "reference"]]
    assert found.y.dropna().tolist() == [0.5]
    assert found.x.dropna().tolist() == [2.5]


def test_unlabelled_series_have_the_names_of_their_color():
    def draw(axes):
        axes.plot(X, Y, color="#0072B2")
        axes.plot(X, -Y, color="#009E73")
        axes.plot([], [], color="#0072B2", label="GD")
        axes.legend()
        axes.annotate("NGD", (1, 1), color="#009E73")

    found = figure_with(draw)
    assert found.groupby("number").series.first().tolist() == ["GD", "NGD"]


def test_head_has_quantities_of_panels():
    with paper_style():
        figure, axes = panels(2)
        axes[0].set(ylabel=r"norm $\|p\|$", xlabel="iteration $t$")
        axes[0].set_title("left", loc="left")
        axes[1].set_xticks([0, 1], ["GD", "NGD"])
        axes[1].set_xlabel("optimizer")
        for one in axes:
            one.plot([0, 1], [2, 3], label="a")
            assert one.get_label() == PANEL
        legend(figure, title="runs")
        text = drawn_numbers(figure, LABEL)
    head = [line for line in text.splitlines() if line.startswith("#")]
    assert head == [
        "# a/fig1: Loss L (exact · laptop scale)",
        "# legend: runs",
        "# panel a: left",
        "# panel a: x = iteration t",
        "# panel a: y = norm |p|",
        "# panel b: x = optimizer (0: GD, 1: NGD)",
        "# panel b: y = norm |p|",
    ]
    assert pd.read_csv(StringIO(text), comment="#").panel.tolist() == ["a", "a", "b", "b"]


def test_texts_of_head_begin_no_formula():
    label = LABEL | {"title": "a,=A1;+A1, -x", "note": ',"=A1",@A1'}
    with paper_style():
        figure, axes = panels()
        axes.set_ylabel("b,=A1")
        axes.plot([0, 1])
        head = [line for line in drawn_numbers(figure, label).splitlines() if line.startswith("#")]
    assert "a, =A1; +A1, -x" in head[0]
    cells = [cell for line in head for row in csv.reader([line, line.replace(";", ",")]) for cell in row]
    assert not [cell for cell in cells if cell.startswith(tuple("=+-@"))]


def test_equal_figures_give_equal_bytes_and_names_are_quoted():
    def draw():
        with paper_style():
            figure, axes = panels()
            axes.scatter(X, Y, c=X)
            return drawn_numbers(figure, LABEL)

    assert draw() == draw()
    text = 'two "words", and more'
    assert set(figure_with(lambda axes: axes.plot(X, Y, label=text)).series) == {text}
