"""Extension: Theorems 2 and 3 and Lemmas 4, 5 and 7, under gradient descent with a constant step."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from attention_dynamics.plots.style import (
    BLUE,
    GRAY,
    GREEN,
    GRID,
    INK,
    ORANGE,
    PURPLE,
    SMALL_FONT_SIZE,
    legend,
    panels,
    ramp,
)
from attention_dynamics.run import Run
from attention_dynamics.types import Labels, ReferenceNames, RunNames

Point = tuple[float, float]
Style = tuple[str, str]
DATA_COLORS = (ORANGE, BLUE, GREEN)
# First iteration at which p is considered to be far from the origin.
FAR_OUT = 200


def draw(
    runs: dict[str, Run], *, shown: RunNames, paths: RunNames, references: ReferenceNames, titles: Labels
) -> Figure:
    """Draw the norm of p and its angle to a reference for each run in ``paths``, and two quantities that lemmas bound.

    Each run in ``paths`` has a column. A start has the same color in all these columns. The last column has, for each
    run in ``shown``, the median and range of the two quantities over the starts from which p does not leave the
    reference (``_draw_range``).
    references: a reference for each run in ``paths``. titles: a title for each run in ``shown``. ``shown`` begins with
    the runs in ``paths``.
    """
    figure, grid = panels(len(paths) + 1, 2, height=1.7, sharex=True)
    styles = _start_styles([runs[name] for name in paths])
    for (above, below), name, reference, title in zip(grid.T, paths, references, titles, strict=False):
        run = runs[name]
        leaving = _draw_norm(above, run, float(run.references[reference]["norm"][0]), styles)
        angles = np.degrees(np.arccos(run.series[f"correlation_{reference}"][1:, 0].clip(-1, 1)))
        for start, curve in zip(_starts(run), angles.T, strict=True):
            color, dashes = styles[start]
            below.plot(run.steps[1:], curve, dashes, color=color)
        for k in np.flatnonzero(leaving):
            below.annotate(
                f"leaves {reference.upper()}", (run.steps[-1] / 50, angles[-1, k]), ha="right", va="center",
                fontsize=SMALL_FONT_SIZE, color=INK,
            )  # fmt: skip
        above.set(title=title)
        below.set(yscale="log", ylim=(0.05, 180), yticks=(0.1, 1, 10, 100))
        below.set_yticks((0.1, 1, 10, 100), ("0.1°", "1°", "10°", "100°"))
    grid[0, 0].set_ylabel(r"norm $\|p(t)\|$")
    grid[1, 0].set_ylabel(r"angle to $p^{\mathrm{mm}}$")
    alignment, ratio = grid[:, -1]
    for run, color, title in zip((runs[name] for name in shown), DATA_COLORS, titles, strict=True):
        _draw_range(alignment, run, "alignment", 1, color, title)
        # The ratio is drawn from FAR_OUT on, because the lemmas bound it only far from the origin.
        _draw_range(ratio, run, "gradient_ratio", FAR_OUT, color, title)
    alignment.axhspan(-0.25, 0, color=GRID, lw=0)
    alignment.set(title="Lemmas 4 and 7", ylabel=r"$\cos(-\nabla\mathcal{L},\, p^{\mathrm{mm}})$", ylim=(-0.25, 1.05))
    alignment.text(0.97, 0.09, "excluded: 0 and below", transform=alignment.transAxes, ha="right", va="center",
                   fontsize=SMALL_FONT_SIZE)  # fmt: skip
    ratio.axhline(1, color=GRAY, ls=":", lw=0.9)
    ratio.set(title="Lemmas 5 and 7", ylim=(0.9, 1.1))
    ratio.set_ylabel("descent along $p$ over\nthat along $p^{\\mathrm{mm}}$")
    for axes in grid[1]:
        axes.set(xscale="log", xlabel="iteration $t$", xlim=(1, None))
    alignment.legend(loc="center right")
    handles = [
        Line2D([], [], color=color, ls=dashes, label=f"$p(0) = ({start[0]:g},\\,{{{start[1]:g}}})$")
        for start, (color, dashes) in styles.items()
    ]
    handles.append(Line2D([], [], color=INK, ls=":", label=r"slope $\|p^{\mathrm{mm}}\|$ per $\ln t$"))
    legend(figure, handles, place="below", columns=4)
    return figure


def _starts(run: Run) -> list[Point]:
    return [(float(x), float(y)) for x, y in run.trajectory["p"][0, 0, :, :2]]


def _start_styles(runs: list[Run]) -> dict[Point, Style]:
    """Return start -> (color, line style).

    Starts with x = 0 have solid lines, and colors of a ramp by y. All other starts have purple, dashed lines.
    """
    points = {start for run in runs for start in _starts(run)}
    line = sorted((start for start in points if start[0] == 0), key=lambda start: -start[1])
    lowest = min((y for _, y in line), default=0.0)
    styles = {start: (color, "-") for start, color in zip(line, ramp(y - lowest for _, y in line), strict=True)}
    return styles | dict.fromkeys(sorted(points - styles.keys()), (PURPLE, "--"))


def _draw_norm(axes: Axes, run: Run, length: float, styles: dict[Point, Style]) -> NDArray[np.bool_]:
    """Draw the norms of p, and a line whose slope per ln t is ``length``, |p_mm|, as theory predicts.

    Return a mask, (starts,), of the starts from which p leaves the reference: cos(-grad L, reference) <= 0 at the end.
    """
    norms = run.series["norm_p"][:, 0]
    for start, norm in zip(_starts(run), norms.T, strict=True):
        color, dashes = styles[start]
        axes.plot(run.steps[1:], norm[1:], dashes, color=color)
    late = run.steps[run.steps >= run.steps[-1] / 100]
    axes.plot(late, norms[-1].max() + length * np.log(late / late[-1]) + 0.8, ":", color=INK)
    axes.set_ylim(0, 12)
    return run.series["alignment"][-1, 0] <= 0


def _draw_range(axes: Axes, run: Run, series: str, first: int, color: str, label: str) -> None:
    """Draw the median and range of a series over the starts from which p does not leave the reference.

    The lemmas are about these starts (see ``_draw_norm``). first: the first iteration to draw.
    """
    late = run.steps >= first
    values = run.series[series][late, 0][:, run.series["alignment"][-1, 0] > 0]
    axes.fill_between(run.steps[late], values.min(1), values.max(1), color=color, alpha=0.2, lw=0)
    axes.plot(run.steps[late], np.median(values, axis=1), color=color, label=label)
