"""The numbers that a figure shows, as CSV. They are read from the drawn artists, so that file and picture agree."""

import re
from collections.abc import Iterator, Mapping
from csv import writer
from io import StringIO
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection, PathCollection, PolyCollection, QuadMesh
from matplotlib.colorbar import Colorbar
from matplotlib.colors import same_color, to_hex
from matplotlib.container import BarContainer, ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, StepPatch
from matplotlib.ticker import FixedFormatter, FixedLocator, FuncFormatter

from attention_dynamics.csv_table import plain_cell
from attention_dynamics.plots.labels import provenance, to_plain
from attention_dynamics.plots.renderings import lettered_panels
from attention_dynamics.problems.problem import Array

# Possible columns of a file, in order. Columns without any entry are left out.
COLUMNS = ("panel", "series", "kind", "number", "x", "y", "low", "high", "value")
# Matches the places in a comment where a spreadsheet would split it and take the next cell for a formula.
AFTER_SEPARATOR = re.compile(r'(?<=[,;])(?="*[=+@-])')
# Ten significant digits are more than any picture resolves.
FORMAT = "{:.10g}".format

# Rows of an artist: (kind, colors, columns). colors: one for each row, or one for all. columns: name -> (rows,).
Rows = tuple[str, list[str], dict[str, Array]]


def drawn_numbers(figure: Figure, label: Mapping[str, str]) -> str:
    """Return CSV with a row for each point, bar, cell or interval of a figure, after comments about panels and axes.

    Points outside the limits of the axes are included. Arrows, texts, shapes, and unnamed lines across the axes are
    left out. label: with the keys paper, figure, title, fidelity, note and scale.
    """
    panels = _panels(figure)
    head = [f"{label['paper']}/{label['figure']}: {label['title']} ({provenance(label)})"]
    # figure.findobj is not used, because it would create the ticks of all axes again.
    children = [child for axes in figure.axes for child in axes.get_children()]
    titles = [one.get_title().get_text() for one in [*children, *figure.legends] if isinstance(one, Legend)]
    head += [f"legend: {title}" for title in dict.fromkeys(filter(None, titles))]
    rows: list[dict[str, str]] = []
    for panel, axes in panels.items():
        if mine := list(_rows(axes)):
            rows += [{"panel": panel, **row} for row in mine]
            head += [f"panel {panel}: {line}" if panel else line for line in _describe(axes)]
    columns = [name for name in COLUMNS if any(row.get(name) for row in rows)]
    out = StringIO()
    out.writelines(f"# {AFTER_SEPARATOR.sub(' ', to_plain(' '.join(line.split())))}\n" for line in head)
    table = writer(out, lineterminator="\n")
    table.writerow(columns)
    table.writerows([plain_cell(row.get(name, "")) for name in columns] for row in rows)
    return out.getvalue()


def _panels(figure: Figure) -> dict[str, Axes]:
    """Return name -> axes, without color bars.

    The name is the panel's letter, or its number if it has no letter, or "" if there is only one panel.
    """
    bars = [bar.ax for axes in figure.axes for bar in _color_bars(axes)]
    axes = [one for one in figure.axes if one not in bars]
    letters = {one: letter for letter, one in lettered_panels(figure)}
    return {letters.get(one, str(k) if len(axes) > 1 else ""): one for k, one in enumerate(axes, 1)}


def _color_bars(axes: Axes) -> list[Colorbar]:
    mapped = [one for one in axes.get_children() if isinstance(one, ScalarMappable)]
    return [one.colorbar for one in mapped if one.colorbar]


def _describe(axes: Axes) -> Iterator[str]:
    """Yield lines with the title of the axes, and with the label and the tick labels of each axis and color bar."""
    if title := axes.get_title(loc="left") or axes.get_title():
        yield title
    for name in "xy":
        text, names = _axis_label(axes, name), _tick_names(getattr(axes, f"{name}axis"))
        if text or names:
            yield f"{name} = {text}" + (f" ({names})" if names else "")
    for bar in _color_bars(axes):
        yield f"value = {bar.ax.get_ylabel() or bar.ax.get_xlabel()}"


def _axis_label(axes: Axes, name: str) -> str:
    """Return the label of an axis, or else of an axis in the same column or row of panels, or else of the figure."""
    figure, place = axes.get_figure(root=True), axes.get_subplotspec()
    span = "colspan" if name == "x" else "rowspan"
    others = [one for one in figure.axes if place and one.get_subplotspec()
              and getattr(one.get_subplotspec(), span) == getattr(place, span)]  # fmt: skip
    labels = [getattr(one, f"get_{name}label")() for one in [axes, *others]]
    return next(filter(None, [*labels, getattr(figure, f"get_sup{name}label")()]), "")


def _tick_names(axis: Axis) -> str:
    """Return the tick labels of an axis as "position: text, ...".

    The result is "" if the positions and texts are not fixed, or if the texts are the numbers at the positions.
    """
    formatter, places = axis.get_major_formatter(), axis.get_majorticklocs()
    if not isinstance(formatter, FixedFormatter | FuncFormatter) or not isinstance(
        axis.get_major_locator(), FixedLocator
    ):
        return ""
    pairs = [(FORMAT(place), text) for place, text in zip(places, formatter.format_ticks(places), strict=True) if text]
    return ", ".join(f"{place}: {text}" for place, text in pairs) if any(a != b for a, b in pairs) else ""


def _rows(axes: Axes) -> Iterator[dict[str, str]]:
    """Yield the rows of one panel, column name -> text. Artists that have rows are numbered from 1 (``_artists``)."""
    keys, number = _keys(axes), 0
    for artist, (kind, colors, columns) in _artists(axes):
        shown = np.isfinite(list(columns.values())).all(axis=0).nonzero()[0]
        series = {one: to_plain(_own_name(artist) or _find_name(keys, artist, one)) for one in {*colors}}
        # Unnamed lines across the axes are left out, because they only guide the eye.
        if len(shown) and (kind != "reference" or any(series.values())):
            number += 1
            texts = {name: [FORMAT(value) for value in column[shown].tolist()] for name, column in columns.items()}
            for row, k in enumerate(shown):
                color = colors[k] if len(colors) > 1 else colors[0]
                yield {"series": series[color], "kind": kind, "number": str(number),
                       **{name: column[row] for name, column in texts.items()}}  # fmt: skip


def _own_name(artist: Any) -> str:
    label = str(artist.get_label())
    return "" if label.startswith("_") else label


def _keys(axes: Axes) -> list[tuple[Any, str]]:
    """Return legend entries and texts in the axes as pairs (artist, name), by which unnamed artists get their names."""
    legends = [*filter(None, [axes.get_legend()]), *axes.get_figure(root=True).legends]
    keys = [
        (key, text.get_text()) for one in legends for key, text in zip(one.legend_handles, one.get_texts(), strict=True)
    ]
    return [*keys, *((text, text.get_text()) for text in axes.texts if text.get_text().strip())]


def _find_name(keys: list[tuple[Any, str]], artist: Any, color: str) -> str:
    """Return the name in ``keys`` of an artist with the given color.

    For a line, this is the name of the first line in ``keys`` with the same color, line style and marker. For other
    artists, and without such a line, it is the only name with this color; for an image, only patches count. If no name
    or several names remain, return "color <hex>" for a cell of an image, and "" for other artists.
    """
    alike = [(key, text) for key, text in keys if color and same_color(_color(key), color)]
    if isinstance(artist, AxesImage):
        alike = [(key, text) for key, text in alike if isinstance(key, Patch)]
    if isinstance(artist, Line2D):
        look = artist.get_linestyle(), artist.get_marker()
        for key, text in alike:
            if isinstance(key, Line2D) and (key.get_linestyle(), key.get_marker()) == look:
                return text
    if len({text for _, text in alike}) == 1:
        return alike[0][1]
    return f"color {color[1:]}" if isinstance(artist, AxesImage) and color else ""


def _color(artist: Any) -> str:
    """Return the (first) color of an artist as "#rrggbb"; "" if it has none."""
    if isinstance(artist, Line2D) and artist.get_linestyle() == "None":
        return to_hex(artist.get_markeredgecolor())
    if hasattr(artist, "get_color"):
        color = artist.get_color()
        return to_hex(color if isinstance(color, str) or np.ndim(color) == 1 else color[0])
    color = np.atleast_2d(artist.get_facecolor())
    return to_hex(color[0]) if color.size else ""


def _artists(axes: Axes) -> Iterator[tuple[Any, Rows]]:
    """Yield the artists of axes with their rows: first bars and error bars, then the other visible artists."""
    within: list[Artist] = []
    for container in axes.containers:
        within += container.get_children()
        if isinstance(container, BarContainer):
            yield container, _bars(container)
        elif isinstance(container, ErrorbarContainer):
            yield container, _error_bars(container)
    for artist in axes.get_children():
        if artist not in within and artist.get_visible():
            match artist:
                case Line2D():
                    yield artist, _line(artist, axes)
                case StepPatch():
                    values, edges, _ = artist.get_data()
                    yield artist, ("bin", [_color(artist)], {"low": edges[:-1], "high": edges[1:], "value": values})
                case PathCollection():
                    yield artist, _points(artist)
                case LineCollection():
                    yield artist, ("interval", [_color(artist)], _ends(artist.get_segments()))
                case QuadMesh() | AxesImage():
                    yield artist, _cells(artist)
                case PolyCollection():
                    yield artist, _band(artist)


def _bars(container: BarContainer) -> Rows:
    """Return the rows of bars: the middle of each bar on one axis, and its length on the other."""
    corners = np.array([(bar.get_x(), bar.get_y(), bar.get_width(), bar.get_height()) for bar in container.patches])
    x, y, width, height = corners.reshape(-1, 4).T
    upright = container.orientation == "vertical"
    columns = {"x": x + width / 2, "y": height} if upright else {"x": width, "y": y + height / 2}
    return "bar", [_color(container.patches[0])], columns


def _error_bars(container: ErrorbarContainer) -> Rows:
    """Return points with the ends of their vertical error bars.

    If there are no points, or not as many as bars, return the ends of the bars alone.
    """
    line, _, bars = container.lines
    ends = _ends([part for one in bars for part in one.get_segments()])
    if line is None or len(ends["x"]) != len(line.get_xydata()):
        return "interval", [_color(bars[0])], ends
    return "point", [_color(line)], ends | {"y": line.get_xydata()[:, 1]}


def _ends(segments: list[Array]) -> dict[str, Array]:
    """Return "x", "low" and "high", (k,) each, of k vertical segments."""
    points = [(part[0, 0], part[:, 1].min(), part[:, 1].max()) for part in segments if len(part)]
    return dict(zip(("x", "low", "high"), np.array(points, dtype=float).reshape(-1, 3).T, strict=True))


def _line(line: Line2D, axes: Axes) -> Rows:
    points = np.ma.filled(np.ma.asarray(line.get_xydata(), dtype=float), np.nan)
    of_x, of_y = line.get_transform().contains_branch_seperately(axes.transData)
    if of_x and of_y:
        kind = "point" if line.get_linestyle() == "None" else "line"
        return kind, [_color(line)], {"x": points[:, 0], "y": points[:, 1]}
    # One coordinate is in data units, the other a share of the axes: a line across the axes (axhline, axvline).
    name, place = ("x", points[:, 0]) if of_x else ("y", points[:, 1])
    return "reference", [_color(line)], {name: np.unique(place) if of_x or of_y else np.array([])}


def _points(points: PathCollection) -> Rows:
    places = np.ma.filled(np.ma.asarray(points.get_offsets(), dtype=float), np.nan)
    columns = {"x": places[:, 0], "y": places[:, 1]}
    values = points.get_array()
    if values is not None:
        return "point", [""], columns | {"value": np.asarray(values, dtype=float)}
    colors = points.get_facecolor() if len(points.get_facecolor()) else points.get_edgecolor()
    return "point", [to_hex(color) for color in colors], columns


def _band(band: PolyCollection) -> Rows:
    """Return the rows of an area between two curves. Its outline goes along one curve and back along the other."""
    parts = []
    for path in band.get_paths():
        outline = path.vertices[:-1]
        half = len(outline) // 2
        there, back = outline[1:half], outline[half + 1 :][::-1]
        parts.append([there[:, 0], np.minimum(there[:, 1], back[:, 1]), np.maximum(there[:, 1], back[:, 1])])
    x, low, high = np.concatenate(parts, axis=1) if parts else np.empty((3, 0))
    return "band", [_color(band)], {"x": x, "low": low, "high": high}


def _cells(image: QuadMesh | AxesImage) -> Rows:
    """Return the middle of each cell with its value, or, in an image of colors, with its color."""
    array = np.ma.asarray(image.get_array())
    if isinstance(image, QuadMesh):
        corners = image.get_coordinates()
        x, y = np.moveaxis((corners[:-1, :-1] + corners[1:, 1:]) / 2, -1, 0)
    else:
        rows, columns = array.shape[:2]
        left, right, bottom, top = image.get_extent()
        first, last = (bottom, top) if image.origin == "lower" else (top, bottom)
        across, along = (np.arange(columns) + 0.5) / columns, (np.arange(rows) + 0.5) / rows
        x, y = np.meshgrid(left + across * (right - left), first + along * (last - first))
    middle = {"x": x.ravel(), "y": y.ravel()}
    if array.ndim == 3:
        return "cell", [to_hex(color[:3]) for color in image.to_rgba(array).reshape(-1, 4)], middle
    return "cell", [""], middle | {"value": np.ma.filled(array.astype(float), np.nan).ravel()}
