"""Drawn figures as files: without a title for print, and with title and fidelity for the web."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from string import ascii_lowercase

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import LogLocator, NullFormatter, NullLocator
from matplotlib.transforms import Bbox

from attention_dynamics.plots.labels import provenance, tag
from attention_dynamics.plots.style import FONT_SIZE, GRAY, INK, PANEL, SMALL_FONT_SIZE, TAG_COLORS
from attention_dynamics.store import write

# Height of a line of the header, margin, and space below the header, in points.
LINE_HEIGHT, MARGIN, BELOW_HEADER = 10.5, 4.0, 5.0
# Value of ``gid`` of the texts that belong to the header.
HEADER = "header"
# Matches a word. Blanks within math do not end it, because a line cannot be broken there.
WORDS = re.compile(r"(?:\$[^$]*\$|[^\s$])+")


def save(figure: Figure, outputs: Iterable[str], label: Mapping[str, str]) -> None:
    """Save a figure in the format of each output: PDF for print, PNG and SVG for the web.

    label: with the keys paper, figure, title, fidelity, note, scale and optionally data. Title and fidelity are in the
    metadata of all files. Files carry no date, so that equal figures give equal bytes.
    """
    subject = f"{label['paper']}/{label['figure']} ({provenance(label)})"
    texts = {
        "pdf": {"Title": label["title"], "Subject": subject, "Creator": "attention-dynamics", "CreationDate": None},
        "png": {"Title": label["title"], "Description": subject, "Software": "attention-dynamics"},
        "svg": {"Title": label["title"], "Description": subject, "Creator": "attention-dynamics", "Date": None},
    }
    lay_out(figure)
    forms = {os.path.splitext(output)[1][1:]: output for output in outputs}
    # The PDF is saved first, because it would otherwise have the header, which is added for the other formats.
    for form in sorted(forms, key=lambda form: form != "pdf"):
        box = None if form == "pdf" else add_header(figure, label)
        buffer = BytesIO()
        figure.savefig(buffer, format=form, metadata=texts[form], bbox_inches=box)
        write(forms[form], buffer.getvalue())


def lay_out(figure: Figure) -> None:
    """Letter the panels, lay out the figure and remove the layout engine, which would run again for each format."""
    for letter, axes in lettered_panels(figure):
        _prefix_title(axes, rf"$\mathbf{{{letter}}}$")
    for axes in figure.axes:
        _thin_ticks(axes)
    # The layout runs twice, because ticks depend on the size of the panels, and this size on the labels of the ticks.
    if engine := figure.get_layout_engine():
        with _without_unlabelled_ticks(figure):
            engine.execute(figure)
            engine.execute(figure)
    # None removes the engine. The text "none" would set a placeholder, with which each format is laid out twice.
    figure.set_layout_engine(None)
    renderer = FigureCanvasAgg(figure).get_renderer()
    for legend in figure.legends:
        # Place the legend in inches from the bottom, because the header makes the picture for the web higher.
        corner = legend.get_window_extent(renderer).min / figure.dpi
        legend.borderaxespad = 0
        legend.set_loc("lower left")
        legend.set_bbox_to_anchor(tuple(corner), transform=figure.dpi_scale_trans)


@contextmanager
def _without_unlabelled_ticks(figure: Figure) -> Iterator[None]:
    """Remove minor ticks without labels during a layout. They would take two thirds of its time."""
    # Minor ticks do not change the layout, because major ticks are longer.
    every = [axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)]
    unlabelled = [axis for axis in every if isinstance(axis.get_minor_formatter(), NullFormatter)]
    # Shared axes have one locator, so all locators are read before the first one is replaced.
    locators = [axis.get_minor_locator() for axis in unlabelled]
    try:
        for axis in unlabelled:
            axis.set_minor_locator(NullLocator())
        yield
    finally:
        for axis, locator in zip(unlabelled, locators, strict=True):
            axis.set_minor_locator(locator)


def lettered_panels(figure: Figure) -> list[tuple[str, Axes]]:
    """Return pairs (letter, panel), in order. A single panel gets no letter."""
    panels = [axes for axes in figure.axes if axes.get_label() == PANEL and axes.axison]
    return list(zip(ascii_lowercase, panels if len(panels) > 1 else [], strict=False))


def _thin_ticks(axes: Axes) -> None:
    """Label only powers of ten on logarithmic axes, and 1, 2 and 5 times them on an axis without a whole decade."""
    for axis in (axes.xaxis, axes.yaxis):
        if axis.get_scale() == "log" and isinstance(axis.get_major_locator(), LogLocator):
            axis.set_minor_formatter(NullFormatter())
            low, high = np.log10(sorted(axis.get_view_interval()))
            if np.floor(high) - np.ceil(low) < 1:
                axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
                axis.set_major_formatter("{x:g}")


def _prefix_title(axes: Axes, letter: str) -> None:
    """Write a letter before the left title of a panel; without a title, write the letter alone."""
    title = axes.get_title(loc="left")
    if not title:
        axes.set_title(letter, loc="left")
    for text in axes.get_children():
        if title and isinstance(text, Text) and text.get_text() == title:
            text.set_text(f"{letter}  {title}")


def add_header(figure: Figure, label: Mapping[str, str]) -> Bbox:
    """Write tag and title above the canvas unless they are there; return the box of canvas and header, in inches."""
    width, height = figure.get_size_inches()
    if not (header := [text for text in figure.texts if text.get_gid() == HEADER]):
        header = [*_lines(figure, tag(label), SMALL_FONT_SIZE), *_lines(figure, label["title"], FONT_SIZE + 1)]
        color = TAG_COLORS.get(label["fidelity"].split(",")[0], GRAY)
        for number, text in enumerate(reversed(header)):
            text.set_position((MARGIN / 72 / width, 1 + (BELOW_HEADER + LINE_HEIGHT * number) / 72 / height))
            text.set(gid=HEADER, ha="left", va="bottom", color=INK)
            if text.get_fontsize() == SMALL_FONT_SIZE:
                text.set_bbox({"facecolor": color, "alpha": 0.25, "edgecolor": "none", "pad": 1.2})
    top = height + (BELOW_HEADER + LINE_HEIGHT * len(header) + MARGIN) / 72
    return Bbox([[0, 0], [width, top]])


def _lines(figure: Figure, text: str, size: float) -> list[Text]:
    """Add a text to the figure, broken into lines that fit the figure's width; return the lines, all at (0, 0)."""
    renderer = FigureCanvasAgg(figure).get_renderer()
    line = figure.text(0, 0, "", fontsize=size)
    room = figure.bbox.width - 2 * MARGIN / 72 * figure.dpi

    def fits(words: list[str]) -> bool:
        line.set_text(" ".join(words))
        return bool(line.get_window_extent(renderer).width <= room)

    broken = break_lines(WORDS.findall(text), fits)
    line.remove()
    return [figure.text(0, 0, part, fontsize=size) for part in broken]


def break_lines(words: list[str], fits: Callable[[list[str]], bool]) -> list[str]:
    """Return lines, each with as many words as fit. A word that is too long is alone on its line.

    fits: function that returns whether a list of words fits on a line.
    """
    lines: list[list[str]] = [[]]
    for word in words:
        if lines[-1] and not fits([*lines[-1], word]):
            lines.append([])
        lines[-1].append(word)
    return [" ".join(line) for line in lines if line]
