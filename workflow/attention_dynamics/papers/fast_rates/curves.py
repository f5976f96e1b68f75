"""Curves of measured series: mean and range over data sets. Colors show optimizers; dashes show settings or models."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke
from numpy.typing import NDArray

from attention_dynamics.plots.labels import to_plain
from attention_dynamics.plots.panels import CurvePanel, Fit
from attention_dynamics.plots.renderings import WORDS, break_lines
from attention_dynamics.plots.style import GRAY, INK, SMALL_FONT_SIZE, optimizer_style
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.series.fits import abscissa, fit_line
from attention_dynamics.training import recorded_steps
from attention_dynamics.types import Time

DASHES = ("-", (0, (5, 2)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)))
# Fitted lines are dotted, because the curves that have fits are solid or dashed.
FIT: dict[str, Any] = {"color": INK, "lw": 1.1, "ls": (0, (1, 1.5))}
RATE: dict[str, Any] = {
    "fontsize": SMALL_FONT_SIZE, "color": INK, "zorder": 5,
    "path_effects": [withStroke(linewidth=1.8, foreground="#FFFFFF")],
}  # fmt: skip
FUNCTIONS = {"linear": "t", "log": r"\ln t", "log_log": r"\ln\ln t", "cube_root": "t^{1/3}"}

# Longest line of an axis label, in characters.
LABEL_LENGTH = 22


@dataclass(frozen=True)
class Curve:
    """Trajectories of a run, from its first start, that one curve summarizes.

    name: name of the run. problems: (k,), indices of the problems of the trajectories. dashes, color: style of the
    line.
    """

    name: str
    run: Run
    problems: NDArray[np.int64]
    dashes: Any
    color: str

    def of(self, series: str) -> Array:
        """Return the values of a series, given by its name, for the k trajectories: (records, k)."""
        return self.run.series[series][:, self.problems, 0]


def curves(
    name: str, run: Run, setting: str | None = None, where: Mapping[str, Sequence[float]] | None = None
) -> list[Curve]:
    """Return the curves of a run, from the first start of each problem.

    There is one curve, or one for each value of the problems' setting ``setting``. name: name of the run. where:
    name of a setting -> values to keep; problems with other values are left out.
    Raises ValueError if there are more curves than DASHES.
    """
    masks = [np.isin(run.problem.settings[key], wanted) for key, wanted in (where or {}).items()]
    problems = np.flatnonzero(np.all(masks, axis=0)) if masks else np.arange(len(run.problem.labels))
    groups = [problems]
    if setting:
        values = run.problem.settings[setting][problems]
        groups = [problems[values == value] for value in dict.fromkeys(values)]
    if len(groups) > len(DASHES):
        raise ValueError(f"run {name} asks for {len(groups)} curves, there are {len(DASHES)} kinds of dashes")
    color = optimizer_style(run.training.optimizer.kind)[1]
    return [Curve(name, run, group, dashes, color) for group, dashes in zip(groups, DASHES, strict=False)]


def optimizer_name(run: Run) -> str:
    """Return a legend label: a run's optimizer with its step size, and the step size of the head if that is trained."""
    optimizer, decoder = run.training.optimizer, getattr(run.training, "head_optimizer", None)
    name = optimizer_style(optimizer.kind)[0]
    sizes = [_step_size(optimizer, "W" if decoder else "")]
    if decoder:
        sizes.append(_step_size(decoder, "u"))
    return ", ".join([name, *filter(None, dict.fromkeys(sizes))])


def _step_size(optimizer: Any, parameter: str) -> str:
    """Return the formula of an optimizer's step size, or of the Polyak step's c; "" if there is none or several.

    parameter: subscript of eta, "" for none.
    """
    letter = "c" if hasattr(optimizer, "c") else r"\eta"
    size, decay = getattr(optimizer, "c", getattr(optimizer, "step_size", None)), getattr(optimizer, "decay", 0)
    if size is None or isinstance(size, tuple):
        return ""
    schedule = "" if not decay else "/(t + 1)" if decay == 1 else f"/(t + 1)^{{{_fraction(decay)}}}"
    return f"${letter}{f'_{parameter}' if parameter and letter != 'c' else ''} = {size:g}{schedule}$"


def _fraction(number: float) -> str:
    return "2/3" if abs(number - 2 / 3) < 1e-9 else f"{number:.3g}"


def plot_panel(axes: Axes, drawn: Sequence[Curve], panel: CurvePanel) -> None:
    """Draw the mean and range of curves over the iterations, and the lines fitted to them.

    The mean is geometric if the panel has ``log`` or ``exp``. Runs without the series are left out.
    """
    for curve in drawn:
        if panel.series in curve.run.series:
            _draw_curve(axes, curve, panel)
    axes.set(ylabel=axis_label(panel), xscale=panel.steps, yscale="log" if _logarithmic(panel) else "linear")
    if panel.ylim:
        axes.set_ylim(*panel.ylim)
    for fit in panel.fits:
        _draw_fit(axes, next(curve for curve in drawn if curve.name == fit.run), panel, fit)


def axis_label(panel: CurvePanel) -> str:
    """Return the title of a panel, broken into lines of at most LABEL_LENGTH characters to fit beside an axis."""
    lines = break_lines(WORDS.findall(panel.title), lambda words: len(to_plain(" ".join(words))) <= LABEL_LENGTH)
    return "\n".join(lines)


def lines_of(curve: Curve, panel: CurvePanel) -> tuple[NDArray[np.int64], Array]:
    """Return the steps that a panel shows, (records,), and the values to draw for the k trajectories, (records, k).

    Step 0 is left out, because it has no place on a logarithmic axis. Only steps with up to two significant digits and
    the last step are kept, because other points would lie on top of these and enlarge the file.
    """
    records = np.isin(curve.run.steps, recorded_steps(int(curve.run.steps[-1]), record_digits=2)[1:])
    values = curve.of(panel.series)[records]
    return curve.run.steps[records], np.exp(values) if panel.exp else -values if panel.negative else values


def _logarithmic(panel: CurvePanel) -> bool:
    return panel.exp or panel.log or panel.negative


def _draw_curve(axes: Axes, curve: Curve, panel: CurvePanel) -> None:
    steps, values = lines_of(curve, panel)
    if panel.log:
        middle = np.exp(np.log(values).mean(1))
    elif panel.exp:
        # The geometric mean is that of the stored logarithms, because their exponentials may be zero.
        records = np.isin(curve.run.steps, steps)
        middle = np.exp(curve.of(panel.series)[records].mean(1))
    else:
        middle = values.mean(1)
    axes.plot(steps, middle, color=curve.color, ls=curve.dashes)
    axes.fill_between(steps, values.min(1), values.max(1), color=curve.color, alpha=0.18, lw=0)


def _draw_fit(axes: Axes, curve: Curve, panel: CurvePanel, fit: Fit) -> None:
    """Fit a line by least squares to the mean of a curve in the window of ``fit``, and draw it with its slope."""
    first, last = fit.window
    inside = (curve.run.steps >= first) & (curve.run.steps <= last)
    steps, values = curve.run.steps[inside], curve.of(panel.series)[inside]
    stored = panel.exp or panel.negative
    takes_log = fit.log and not stored
    x = abscissa(steps, fit.time)
    mean = (np.log(values) if takes_log else values).mean(1)
    line = fit_line(x[:, None], mean[:, None])
    y = line.slope * x + line.intercept
    y = -y if panel.negative else np.exp(y) if takes_log or panel.exp else y
    axes.plot(steps, y, **FIT, zorder=4)
    text = _rate(float(line.slope[0]), fit.time, takes_log or stored)
    if fit.place:
        x_place, y_place = fit.place
        axes.annotate(text, (x_place, y_place), xycoords="axes fraction", ha="center", va="center", **RATE)
    else:
        _write_rate(axes, steps, y, text, below=fit.label == "below")


def _write_rate(axes: Axes, steps: NDArray[np.int64], y: Array, text: str, below: bool) -> None:
    """Write a rate above or below the fitted line, on the side, left or right, where the slope leaves room.

    If the line falls by more than a factor of 10^6, write the rate to its right, neither above nor below.
    """
    steep, grows = y[-1] < 1e-6 * y[0], y[-1] > y[0]
    at = np.searchsorted(np.log(steps), np.log(steps[0]) + (0.8 if steep else 0.65) * np.log(steps[-1] / steps[0]))
    left = not steep and grows != below
    x, away = (-3 if left else 3), 2
    if not (left or steep) and steps[-1] == axes.dataLim.x1:
        # The line ends at the end of the axes, so there is no room to its right.
        at, left, x, away = (len(steps) - 1, True, 0, 12) if below else (0, False, 0, 2)
    axes.annotate(
        text, (steps[at], y[at]), (x, 0 if steep else -away if below else away), textcoords="offset points",
        ha="right" if left else "left", va="center" if steep else "top" if below else "bottom", **RATE,
    ).set_in_layout(False)  # fmt: skip


def _rate(slope: float, time: Time, logarithm: bool) -> str:
    """Return the fitted rate as a formula. logarithm: the line was fitted to the logarithm of the curve."""
    if not logarithm:
        return f"${slope:#.3g}\\,{FUNCTIONS[time]}$"
    base = {"log": "t", "log_log": r"(\ln t)"}.get(time)
    if base:
        return f"${base}^{{{slope:.2f}}}$"
    # Write exp(...) rather than an exponent within an exponent, which would be too small to read.
    exponent = f"{slope:.3g}\\,{FUNCTIONS[time]}"
    return f"$\\exp({exponent})$" if "^" in exponent else f"$e^{{{exponent}}}$"


def optimizer_handles(runs: Mapping[str, Run], fits: bool) -> list[Line2D]:
    """Return legend entries of the runs, and an entry for fitted lines if ``fits``."""
    handles = [
        Line2D([], [], color=optimizer_style(run.training.optimizer.kind)[1], label=optimizer_name(run))
        for run in runs.values()
    ]
    return [*handles, *([Line2D([], [], **FIT, label="fitted rate")] if fits else [])]


def dash_handles(labels: Iterable[str]) -> list[Line2D]:
    """Return legend entries of DASHES in gray, one for each label."""
    return [Line2D([], [], color=GRAY, ls=dashes, label=label) for label, dashes in zip(labels, DASHES, strict=False)]
