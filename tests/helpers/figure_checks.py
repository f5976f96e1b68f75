"""Checks of drawn figures: overlapping or cut text, small type, colors that are not in the table."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import Collection, QuadMesh
from matplotlib.colors import to_hex, to_rgba_array
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from attention_dynamics.plots.style import known_colors, paper_style

# In pixels: boxes have a little air around the letters.
TOUCHING = 1.0


def visible_texts(figure: Figure) -> list[Text]:
    """Return all texts that are drawn, those of ticks only where the tick is within the axes."""
    # Drawing makes ticks, which have the style at that time.
    with paper_style():
        figure.draw_without_rendering()
    hidden = {id(text) for axis in figure.findobj(Axis) for text in _outside(axis)}
    texts = [text for text in figure.findobj(Text) if text.get_text().strip() and id(text) not in hidden]
    return [text for text in texts if _is_visible(text)]


def find_overlaps(figure: Figure, texts: list[Text]) -> list[str]:
    """Return the pairs of texts that overlap."""
    renderer = FigureCanvasAgg(figure).get_renderer()
    boxes = [(text.get_text(), _box(text, renderer)) for text in texts]
    return [f"{a!r} and {b!r}" for (a, one), (b, other) in combinations(boxes, 2) if one.overlaps(other)]


def find_outside(figure: Figure, texts: list[Text], canvas: Bbox) -> list[str]:
    """Return the texts that reach beyond a part of the plane, given in inches."""
    renderer = FigureCanvasAgg(figure).get_renderer()
    box = canvas.transformed(figure.dpi_scale_trans)
    found = []
    for text in texts:
        x0, y0, x1, y1 = _box(text, renderer).extents
        if x0 < box.x0 or y0 < box.y0 or x1 > box.x1 or y1 > box.y1:
            found.append(text.get_text())
    return found


def find_unknown_colors(figure: Figure, texts: list[Text]) -> set[str]:
    """Return the colors of lines, markers, areas and texts that are not in the table; images aside."""
    used = {to_hex(color) for artist in [*_artists(figure), *texts] for color in _colors_of(artist)}
    return used - known_colors()


def _artists(figure: Figure) -> Iterator[object]:
    for artist in figure.findobj(include_self=False):
        if (
            isinstance(artist, Line2D | Patch | Collection)
            and not isinstance(artist, QuadMesh)
            and artist.get_visible()
        ):
            yield artist


def _colors_of(artist: object) -> list[tuple[float, ...]]:
    match artist:
        case Text():
            given = [artist.get_color()]
        case Line2D():
            marked = artist.get_marker() not in ("", "None", None)
            given = [artist.get_color()] if artist.get_linestyle() not in ("", "None") else []
            given += [artist.get_markerfacecolor(), artist.get_markeredgecolor()] if marked else []
        case Patch():
            given = [artist.get_facecolor(), artist.get_edgecolor()]
        case Collection():
            given = [] if artist.get_array() is not None else [artist.get_facecolor(), artist.get_edgecolor()]
    return [tuple(one) for color in given for one in to_rgba_array(color) if one[3] > 0]


def _outside(axis: Axis) -> Iterator[Text]:
    # As the axis scales them, which may be logarithmic.
    low, high = sorted(axis.get_transform().transform(axis.get_view_interval()))
    room = 1e-9 * (high - low)
    for tick in [*axis.majorTicks, *axis.minorTicks]:
        if not low - room <= axis.get_transform().transform([tick.get_loc()])[0] <= high + room:
            yield from (tick.label1, tick.label2)


def _is_visible(text: Text) -> bool:
    """Return whether a text and all that holds it are visible."""
    axes = text.axes
    if isinstance(axes, Axes) and not axes.get_visible():
        return False
    if (
        isinstance(axes, Axes)
        and not axes.axison
        and any(text in axis.findobj(Text) for axis in (axes.xaxis, axes.yaxis))
    ):
        return False
    return bool(text.get_visible())


def _box(text: Text, renderer: object) -> Bbox:
    box = text.get_window_extent(renderer)
    return Bbox(box.get_points() + np.array([[TOUCHING, TOUCHING], [-TOUCHING, -TOUCHING]]))
