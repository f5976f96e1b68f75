"""One look for all figures: sizes, type, colors, panels, legends and labels.

A figure is drawn at the width that it has in print, a whole or half a page wide. ``plots.renderings`` saves it for
print and for the web.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.font_manager import fontManager
from matplotlib.transforms import offset_copy

# Widths in print, in inches.
FULL_WIDTH, HALF_WIDTH = 5.5, 2.7
# Sizes of type in points, for a figure at its width in print.
FONT_SIZE, SMALL_FONT_SIZE = 7.5, 7.0
MIN_FONT_SIZE = 6.5

# Okabe and Ito's palette, whose colors people with any common form of color blindness can tell apart.
BLUE, GREEN, ORANGE, PURPLE, SKY = "#0072B2", "#009E73", "#E69F00", "#CC79A7", "#56B4E9"
# Color of the globally optimal max-margin direction. Figures of random problems use it for unsaturated problems and for
# negative gaps.
VERMILION = "#D55E00"
INK, GRAY, FAINT, GRID = "#222222", "#777777", "#BBBBBB", "#E6E6E6"
PALETTE = (BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION, INK, GRAY, FAINT, GRID, "#FFFFFF", "#000000")

# Name of a reference direction, parameter, loss or precision -> its color, the same in all figures.
COLORS = {
    "gmm": VERMILION, "lmm": BLUE, "p": BLUE, "v": GREEN,
    "correlation": ORANGE, "logistic": BLUE, "exponential": GREEN,
    "stable": INK, "float64": BLUE, "float32": PURPLE,
}  # fmt: skip
INPUT_COLORS = (GREEN, SKY, PURPLE)
# Kind of an optimizer -> its name in figures and its color. The stochastic form has the same color.
OPTIMIZERS = {
    "gd": ("GD", BLUE), "normalized_gd": ("NGD", PURPLE), "polyak": ("Polyak step", GREEN), "adam": ("Adam", ORANGE),
    "sgd": ("SGD", BLUE), "normalized_sgd": ("SNGD", PURPLE), "momentum": ("momentum", SKY),
}  # fmt: skip
# Colors of the tags that show the fidelity on the web.
TAG_COLORS = {"exact": GREEN, "declared": SKY, "reconstructed": BLUE, "stand-in": ORANGE, "extension": GRAY}

# Color maps of ordered quantities, from dark to light. RAMP_ENDS cuts off the lightest colors, which are hard to see on
# white. Ratios have another map, so that a figure can show them beside rates.
RAMP, RATIO_RAMP = "viridis", "plasma"
RAMP_ENDS = {RAMP: 0.76, RATIO_RAMP: 0.7}
# Like RAMP_ENDS, for the exponents of norms. Their lines differ by dashes, too, so lighter colors can be used.
EXPONENT_END = 0.88
# Marker of numbers that a paper printed.
PUBLISHED: dict[str, Any] = {"color": "#000000", "marker": "x", "ls": "", "ms": 5, "mew": 1.1, "zorder": 6}
# Marker of the start of a trajectory. It is hollow, so that a token below it stays visible.
START: dict[str, Any] = {"color": INK, "marker": "o", "mfc": "none", "ls": "", "ms": 3.4, "mew": 0.7, "zorder": 5}

RC = {
    "font.family": "STIXGeneral",
    "mathtext.fontset": "stix",
    "font.size": FONT_SIZE,
    "axes.labelsize": FONT_SIZE + 0.5,
    "axes.titlesize": FONT_SIZE + 0.5,
    "axes.titlelocation": "left",
    "axes.titlepad": 3.5,
    "axes.labelpad": 2.0,
    "axes.linewidth": 0.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": GRID,
    "grid.linewidth": 0.4,
    "axes.axisbelow": True,
    "axes.prop_cycle": mpl.cycler(color=[INK, BLUE, GREEN, ORANGE, PURPLE, SKY]),
    "lines.linewidth": 1.0,
    "lines.markersize": 3.0,
    "errorbar.capsize": 1.5,
    "hatch.linewidth": 0.5,
    "legend.fontsize": SMALL_FONT_SIZE,
    "legend.title_fontsize": SMALL_FONT_SIZE,
    "legend.frameon": False,
    "legend.borderaxespad": 0.2,
    "legend.handlelength": 1.8,
    "legend.handletextpad": 0.5,
    "legend.labelspacing": 0.25,
    "legend.columnspacing": 1.2,
    "xtick.labelsize": SMALL_FONT_SIZE,
    "ytick.labelsize": SMALL_FONT_SIZE,
    "xtick.major.size": 2.2,
    "ytick.major.size": 2.2,
    "xtick.minor.size": 1.2,
    "ytick.minor.size": 1.2,
    "xtick.major.width": 0.5,
    "ytick.major.width": 0.5,
    "xtick.minor.width": 0.4,
    "ytick.minor.width": 0.4,
    "xtick.major.pad": 2.0,
    "ytick.major.pad": 2.0,
    "pdf.fonttype": 42,
    "svg.hashsalt": "attention-dynamics",
    "svg.fonttype": "path",
    "savefig.dpi": 300,
}

# Names of the font files, without the prefix "STIX" and the suffix ".ttf".
FONTS = (
    "General", "GeneralBol", "GeneralBolIta", "GeneralItalic", "NonUni", "NonUniBol", "NonUniBolIta", "NonUniIta",
    "SizFiveSymReg", "SizFourSymBol", "SizFourSymReg", "SizOneSymBol", "SizOneSymReg", "SizThreeSymBol",
    "SizThreeSymReg", "SizTwoSymBol", "SizTwoSymReg",
)  # fmt: skip

# Length of the line from the end of a curve to its label, in points.
LEADER = 9
# Values of sharex and sharey: which panels share a scale.
Sharing = bool | Literal["none", "all", "row", "col"]
# Label of the axes that get a letter (``renderings.lettered_panels``).
PANEL = "panel"


@contextmanager
def paper_style() -> Iterator[None]:
    """Set the style in which figures are drawn and saved, independent of the user's matplotlibrc."""
    with mpl.rc_context(), only_style_fonts():
        mpl.rcdefaults()
        mpl.use("agg")
        mpl.rcParams.update(RC)
        yield


@contextmanager
def only_style_fonts() -> Iterator[None]:
    """Let Matplotlib use only the fonts of the style, from the files that Matplotlib installs.

    Matplotlib caches its list of fonts in a file. If this list is out of date and lacks a font, Matplotlib uses another
    font instead. Raises FileNotFoundError if the file of a font is missing.
    """
    folder, every = Path(mpl.get_data_path(), "fonts", "ttf"), fontManager.ttflist
    files = [folder / f"STIX{name}.ttf" for name in FONTS]
    if missing := [str(file) for file in files if not file.is_file()]:
        raise FileNotFoundError(f"{missing[0]}: the font is missing; install Matplotlib again")
    fontManager.ttflist = []
    try:
        for file in files:
            fontManager.addfont(file)
        yield
    finally:
        fontManager.ttflist = every


def panels(
    columns: int = 1, rows: int = 1, *, height: float = 1.75, width: float | None = None,
    sharex: Sharing = False, sharey: Sharing = False, lettered: bool = True, **grid: Any,
) -> tuple[Figure, Any]:  # fmt: skip
    """Return a figure and its axes: a single one, or an array as ``Figure.subplots`` returns it.

    height: height of a row in inches of print. width: width of the figure in inches of print, by default half a page
    for one panel, else a page. sharex, sharey: which panels share a scale; of panels that share one, only the outer
    ones have tick labels. lettered: give letters to the panels if there are several. grid: further arguments of
    ``Figure.subplots``.
    """
    width = width or (HALF_WIDTH if columns * rows == 1 else FULL_WIDTH)
    figure = Figure(figsize=(width, height * rows), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.03, h_pad=0.03, wspace=0.03, hspace=0.04)
    axes = figure.subplots(rows, columns, sharex=sharex, sharey=sharey, **grid)
    if lettered and columns * rows > 1:
        for one in np.ravel(axes):
            one.set_label(PANEL)
    return figure, axes


def optimizer_style(kind: str) -> tuple[str, str]:
    """Return name and color of an optimizer; for a kind that is not in OPTIMIZERS, the kind with blanks, and INK."""
    return OPTIMIZERS.get(kind, (kind.replace("_", " "), INK))


def ramp(values: Iterable[float], name: str = RAMP) -> list[str]:
    """Return a color for each number, from dark for the smallest to light for the largest.

    The position of x on the color map is linear in log(1 + x / m), where m is the smallest positive number.
    If all numbers are equal, they get the color in the middle.
    name: RAMP, or RATIO_RAMP for ratios. Raises ValueError for negative numbers.
    """
    numbers = np.array(list(values), dtype=float)
    if (numbers < 0).any():
        raise ValueError("colors of a ramp are for numbers that are not negative")
    # log(1 + x), unlike log(x), is defined at zero.
    places = np.log1p(numbers / numbers[numbers > 0].min()) if (numbers > 0).any() else numbers
    low, high = places.min(), places.max()
    places = (places - low) / (high - low) if high > low else np.full(len(places), 0.5)
    return [to_hex(mpl.colormaps[name](RAMP_ENDS[name] * place)) for place in places]


def exponent_color(p: float) -> str:
    """Return the color of a norm's exponent p > 1, the same in all figures.

    The position on RAMP is proportional to 1 / (1 + (p - 1)^-2), which spreads out the papers' exponents, near 2.
    """
    return to_hex(mpl.colormaps[RAMP](EXPONENT_END / (1 + (p - 1) ** -2)))


def legend(
    figure: Figure, source: Any = None, *, place: Literal["above", "below", "right"] = "above",
    columns: int | None = None, title: str | None = None,
) -> None:  # fmt: skip
    """Put one legend beside all panels.

    source: handles, or axes whose labelled artists the legend lists, each label once; by default all axes.
    place: side of the panels. columns: maximum number of columns, by default one on the right and one per entry
    elsewhere; a figure that is too narrow for them gets fewer.
    """
    handles = source if source is not None else figure.axes
    if any(isinstance(one, Axes) for one in np.ravel(np.array(handles, dtype=object))):
        entries: dict[str, Any] = {}
        for axes in np.ravel(np.array(handles, dtype=object)):
            for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
                entries.setdefault(label, handle)
        handles, labels = list(entries.values()), list(entries)
    else:
        labels = [handle.get_label() for handle in handles]
    where = {"above": "outside upper left", "below": "outside lower left", "right": "outside right upper"}[place]
    ncols = columns or (1 if place == "right" else len(labels))
    renderer = FigureCanvasAgg(figure).get_renderer()
    while True:
        drawn = figure.legend(handles, labels, loc=where, ncols=ncols, title=title, alignment="left")
        if ncols == 1 or drawn.get_window_extent(renderer).width <= figure.bbox.width:
            return
        drawn.remove()
        ncols -= 1


def label_ends(axes: Axes, ends: Sequence[tuple[float, str, str]], *, gap: float = 0.085) -> None:
    """Write labels to the right of the axes, joined to the ends of their lines. Overlapping labels are pushed apart.

    Call this function after the limits of the axes are set. ends: (y, text, color) for the end of every line. gap:
    smallest distance between two labels, as a share of the height of the axes.
    """
    to_fraction = axes.transData + axes.transAxes.inverted()
    x = axes.get_xlim()[1]
    places = [(float(np.clip(to_fraction.transform((x, y))[1], 0, 1)), text, color) for y, text, color in ends]
    places.sort(key=lambda place: place[0])
    heights = np.array([height for height, _, _ in places])
    for k in range(1, len(heights)):
        heights[k] = max(heights[k], heights[k - 1] + gap)
    heights -= max(0.0, heights[-1] - 1.0) / 2 if len(heights) else 0
    for k in range(len(heights) - 2, -1, -1):
        heights[k] = min(heights[k], heights[k + 1] - gap)
    # The text has the color INK, because light colors are hard to read. The line to the text has the given color, but
    # is thin and begins after a gap, so that it does not look like data.
    beside = offset_copy(axes.transAxes, axes.get_figure(), x=LEADER, units="points")
    leader = {"arrowstyle": "-", "lw": 0.5, "shrinkA": 0, "shrinkB": 2.5}
    for height, (end, text, color) in zip(heights, places, strict=True):
        axes.annotate(
            "", (1, end), (1, height), xycoords="axes fraction", textcoords=beside, annotation_clip=False,
            arrowprops=leader | {"color": color},
        )  # fmt: skip
        axes.annotate(
            text, (1, height), (LEADER + 2, 0), xycoords="axes fraction", textcoords="offset points", va="center",
            ha="left", color=INK, fontsize=SMALL_FONT_SIZE, annotation_clip=False,
        )  # fmt: skip


def known_colors() -> frozenset[str]:
    """Return the colors of PALETTE and of the color maps in RAMP_ENDS, as "#rrggbb" in lower case, for checks."""
    steps = [mpl.colormaps[name](place) for name in RAMP_ENDS for place in np.arange(256) / 255]
    return frozenset([*(color.lower() for color in PALETTE), *(to_hex(color) for color in steps)])
