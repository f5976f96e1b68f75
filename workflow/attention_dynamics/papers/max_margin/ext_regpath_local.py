"""Extension: a local regularization path keeps the locally-optimal directions and no others (Theorem 4)."""

from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_dynamics.plots import planar
from attention_dynamics.plots.style import COLORS, GRAY, INK, panels
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.types import Labels, RecordedSteps, RunNames

SAME = 1e-9


def draw(
    runs: dict[str, Run], *, fans: RunNames,
    exact: RunNames, titles: Labels, radii: RecordedSteps,
) -> Figure:  # fmt: skip
    """Draw a panel per fan: the angle between p(R) and the axis q of its cone, against the angle of q, for some R.

    fans: runs with axes all around. exact: on the same problems, runs whose axes are the LMM directions themselves.
    titles: of the panels. radii: the values of R.
    """
    figure, row = panels(4.9, 3.6, len(fans))
    for axes, fan, kept, title in zip(np.atleast_1d(row), fans, exact, titles, strict=True):
        _draw_panel(axes, runs[fan], runs[kept], radii)
        axes.set_title(title)
    np.atleast_1d(row)[0].set_ylabel(r"angle between $\bar{p}(R)$ and $q$ (degrees)")
    figure.legend(*_handles(row), loc="outside right center", fontsize=8)
    return figure


def _draw_panel(axes: Axes, fan: Run, exact: Run, radii: RecordedSteps) -> None:
    half_angle = fan.training.cone.half_angle
    axes.axhline(half_angle, color=INK, ls=(0, (5, 3)), lw=1, zorder=3, label="edge of the cone")
    gmm = fan.references["gmm"]["direction"][0]
    for direction in fan.lmm_set["direction"]:
        role = "gmm" if np.linalg.norm(direction - gmm) < SAME else "lmm"
        axes.axvline(float(_degrees(direction)), color=COLORS[role], lw=1.2, label=planar.NAMES[role])
    angles = _degrees(fan.trajectory["p"][0, 0])
    order = np.argsort(angles)
    shades = colormaps["Greys"](np.linspace(0.3, 0.95, len(radii)))
    # Smaller on top of larger, because most points of all radii lie on the edge of the cone.
    sizes = np.linspace(7.0, 3.0, len(radii))
    for shade, size, radius in zip(shades, sizes, radii, strict=True):
        departure = fan.series["departure"][fan.at(radius), 0]
        axes.plot(angles[order], departure[order], "o", color=shade, ms=size, ls="none", label=f"$R = {radius}$")
    last = exact.series["departure"][-1, 0]
    ends = _degrees(exact.trajectory["p"][0, 0])
    axes.plot(ends, last, "s", mfc="none", mec=INK, ms=10, ls="none", zorder=5, clip_on=False,
              label=f"$q$ locally optimal, $R = {exact.steps[-1]}$")  # fmt: skip
    axes.set(xlabel="angle of $q$ (degrees)", xlim=(-8, 363), ylim=(-0.04 * half_angle, 1.12 * half_angle))
    axes.set_xticks(range(0, 361, 60))
    axes.spines["bottom"].set_color(GRAY)


def _handles(row: Array) -> tuple[list[Any], list[str]]:
    """Return the legend entries of all panels, each once."""
    entries: dict[str, Any] = {}
    for axes in np.atleast_1d(row):
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    return list(entries.values()), list(entries)


def _degrees(points: Array) -> Array:
    """Return the angles in [0, 360) of points (..., >= 2)."""
    return np.degrees(np.arctan2(points[..., 1], points[..., 0])) % 360 % 360
