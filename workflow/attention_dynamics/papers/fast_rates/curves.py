"""Curves of measured series: mean and range over data sets; color by optimizer, dashes by what varies within a run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke
from numpy.typing import NDArray

from attention_dynamics.claims.fits import abscissa, fit_line
from attention_dynamics.plots.panels import CurvePanel, Fit
from attention_dynamics.plots.style import BLUE, COLORS, GRAY, GREEN, INK, RED
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.training import recorded_steps
from attention_dynamics.types import Time

NAMES = {"gd": "GD", "normalized_gd": "NGD", "polyak": "Polyak step"}
DASHES = ("-", (0, (5, 2)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)))
HUES = (INK, RED, BLUE, GREEN)
FUNCTIONS = {"linear": "t", "log": r"\ln t", "log_log": r"\ln\ln t", "cube_root": "t^{1/3}"}


@dataclass(frozen=True)
class Curve:
    """Trajectories of a run that one curve summarises.

    problems, starts: which of them, as indices; dashes, color: of the line.
    """

    name: str
    run: Run
    problems: NDArray[np.int64]
    starts: NDArray[np.int64]
    dashes: Any
    color: str

    def of(self, series: str) -> Array:
        """Return the series of these trajectories, (records, k)."""
        values = self.run.series[series][:, self.problems][:, :, self.starts]
        return values.reshape(len(values), -1)


def curves(
    name: str, run: Run, setting: str | None = None, starts: int = 1,
    where: Mapping[str, Sequence[float]] | None = None, alone: bool = False,
) -> list[Curve]:  # fmt: skip
    """Return the curves of a run: one, or one for each value of a setting of its problem, or for each of its starts.

    where: only problems with one of these values of a setting. alone: the figure has no other run, so that colors too
    can tell the curves apart. Raises ValueError for more curves than dashes.
    """
    masks = [np.isin(run.problem.settings[key], wanted) for key, wanted in (where or {}).items()]
    problems = np.flatnonzero(np.all(masks, axis=0)) if masks else np.arange(len(run.problem.labels))
    if setting:
        values = run.problem.settings[setting][problems]
        groups = [(problems[values == value], np.array([0])) for value in dict.fromkeys(values)]
    else:
        groups = [(problems, np.array([start])) for start in range(starts)]
    if len(groups) > len(DASHES):
        raise ValueError(f"run {name} asks for {len(groups)} curves, there are {len(DASHES)} kinds of dashes")
    own = COLORS[run.training.optimizer.kind]
    styles = [(dashes, color if alone else own) for dashes, color in zip(DASHES, HUES, strict=True)]
    return [Curve(name, run, *group, *style) for group, style in zip(groups, styles, strict=False)]


def optimizer_name(run: Run) -> str:
    """Return the optimizer with its step size, as legends write it."""
    optimizer = run.training.optimizer
    name, letter = NAMES[optimizer.kind], "c" if hasattr(optimizer, "c") else r"\eta"
    size, decay = optimizer.c if letter == "c" else optimizer.step_size, getattr(optimizer, "decay", 0)
    if isinstance(size, tuple):
        return name
    schedule = "" if not decay else "/(t + 1)" if decay == 1 else f"/(t + 1)^{{{decay:.3g}}}"
    return f"{name}, ${letter} = {size:g}{schedule}$"


def draw_panel(axes: Axes, drawn: Sequence[Curve], panel: CurvePanel, each: bool) -> None:
    """Draw curves over the iterations, and the lines fitted to them.

    each: a thin line for every trajectory in place of their mean and range. The mean is geometric on logarithmic axes.
    """
    logarithmic = panel.exp or panel.log
    for curve in drawn:
        if panel.series not in curve.run.series:
            continue
        # The origin has no place on the axis, and points that would lie on top of each other none in the file.
        records = np.isin(curve.run.steps, recorded_steps(int(curve.run.steps[-1]), record_digits=2)[1:])
        values, steps = curve.of(panel.series)[records], curve.run.steps[records]
        if panel.log:
            values = np.log(values)
        middle, low, high = values.mean(1), values.min(1), values.max(1)
        if logarithmic:
            values, middle, low, high = np.exp(values), np.exp(middle), np.exp(low), np.exp(high)
        if each:
            axes.plot(steps, values, color=curve.color, ls=curve.dashes, lw=0.7)
        else:
            axes.plot(steps, middle, color=curve.color, ls=curve.dashes)
            axes.fill_between(steps, low, high, color=curve.color, alpha=0.18, lw=0)
    axes.set(title=panel.title, xscale="log", xlabel="iterations", yscale="log" if logarithmic else "linear")
    if panel.ylim:
        axes.set_ylim(*panel.ylim)
    for fit in panel.fits:
        _draw_fit(axes, next(curve for curve in drawn if curve.name == fit.run), panel, fit)


def _draw_fit(axes: Axes, curve: Curve, panel: CurvePanel, fit: Fit) -> None:
    """Draw the least-squares line through the mean curve, in ink, with its slope."""
    first, last = fit.window
    inside = (curve.run.steps >= first) & (curve.run.steps <= last)
    steps, values = curve.run.steps[inside], curve.of(panel.series)[inside]
    takes_log = fit.log and not panel.exp
    x = abscissa(steps, fit.time)
    mean = (np.log(values) if takes_log else values).mean(1)
    line = fit_line(x[:, None], mean[:, None])
    y = line.slope * x + line.intercept
    y = np.exp(y) if takes_log or panel.exp else y
    axes.plot(steps, y, color=INK, lw=0.9, ls=(0, (4, 2)), zorder=4)
    text = _rate(float(line.slope[0]), fit.time, takes_log or panel.exp)
    _write_rate(axes, steps, y, text, below=fit.label == "below")


def _write_rate(axes: Axes, steps: NDArray[np.int64], y: Array, text: str, below: bool) -> None:
    """Write a rate above or below the line, where its slope leaves room; beside it where it falls steeply."""
    steep, grows = y[-1] < 1e-6 * y[0], y[-1] > y[0]
    at = np.searchsorted(np.log(steps), np.log(steps[0]) + (0.8 if steep else 0.65) * np.log(steps[-1] / steps[0]))
    left = not steep and grows != below
    axes.annotate(
        text, (steps[at], y[at]), (-4 if left else 4, 0 if steep else -3 if below else 3), textcoords="offset points",
        ha="right" if left else "left", va="center" if steep else "top" if below else "bottom",
        fontsize=9, color=INK, zorder=5, path_effects=[withStroke(linewidth=2.5, foreground="white")],
    )  # fmt: skip


def _rate(slope: float, time: Time, logarithm: bool) -> str:
    """Return the fitted rate as a formula."""
    if not logarithm:
        return f"${slope:#.3g}\\,{FUNCTIONS[time]}$"
    base = {"log": "t", "log_log": r"(\ln t)"}.get(time)
    return f"${base}^{{{slope:.2f}}}$" if base else f"$e^{{{slope:.3g}\\,{FUNCTIONS[time]}}}$"


def optimizer_handles(runs: Mapping[str, Run], fits: bool) -> list[Line2D]:
    """Return legend entries of the runs, and of the fitted lines if there are any."""
    handles = [
        Line2D([], [], color=COLORS[run.training.optimizer.kind], label=optimizer_name(run)) for run in runs.values()
    ]
    return [*handles, *([Line2D([], [], color=INK, lw=0.9, ls=(0, (4, 2)), label="fitted rate")] if fits else [])]


def dash_handles(labels: Sequence[str], alone: bool) -> list[Line2D]:
    """Return legend entries of what varies within a run. alone: as for ``curves``."""
    styles = zip(labels, DASHES, HUES, strict=False)
    return [Line2D([], [], color=hue if alone else GRAY, ls=dashes, label=label) for label, dashes, hue in styles]
