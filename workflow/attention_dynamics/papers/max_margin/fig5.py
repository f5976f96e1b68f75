"""Fig 5: the transient bias of two losses towards one of two inputs, for growing scores."""

from itertools import pairwise
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from attention_dynamics.plots import planar
from attention_dynamics.plots.style import COLORS, GRAY, GREEN, INK, SKY, panels
from attention_dynamics.run import Run
from attention_dynamics.types import Interval, RecordedStep, Symbol

# The paper draws the first 200 iterates.
LAST_DRAWN_STEP = RecordedStep(200)
NAMES = {"correlation": r"correlation, $\ell(x) = -x$", "logistic": r"logistic, $\ell(x) = \log(1 + e^{-x})$"}


def draw(
    runs: dict[str, Run], *, setting: Symbol, xlim: Interval, ylim: Interval, shown: RecordedStep = LAST_DRAWN_STEP
) -> Figure:
    """Draw the paths of p under each loss, one for every value of a setting of the problem.

    setting: its name; the largest value is dashed, the others darken as they grow. shown: the last step to draw.
    """
    figure, axes = panels(6.4, 4.4)
    planar.plane(axes, xlim, ylim)
    axes.set_anchor("W")
    for run in runs.values():
        values = run.problem.settings[setting]
        last, color = run.at(shown) + 1, COLORS[run.training.loss.kind]
        for k in range(len(values)):
            path, dashed = run.trajectory["p"][:last, k, 0], values[k] == values.max()
            axes.plot(*path[:, :2].T, "--" if dashed else "-", color=color, lw=1.3, alpha=_alpha(k, len(values)))
    planar.ray(axes, run.references["gmm"]["direction"][0], INK, dashes=":")
    _tokens_and_legends(axes, runs, setting)
    return figure


def _alpha(k: int, count: int) -> float:
    return 0.35 + 0.65 * k / (count - 1)


def _tokens_and_legends(axes: Axes, runs: dict[str, Run], setting: str) -> None:
    run = next(iter(runs.values()))
    keys = run.problem.keys[0]
    styles = [(keys[0, 0], GREEN, "^", r"$\gamma = 0$"), (keys[0, 1], GREEN, "*", rf"$\gamma = {setting}$"),
              (keys[1, 0], SKY, "v", r"$\gamma = 0$"), (keys[1, 1], SKY, "*", r"$\gamma = 1$")]  # fmt: skip
    for position, color, marker, label in styles:
        planar.token(axes, position, color, marker, f"input {1 if color == GREEN else 2}, {label}")
    tokens = axes.get_legend_handles_labels()
    losses = [
        Line2D([], [], color=COLORS[r.training.loss.kind], label=NAMES[r.training.loss.kind]) for r in runs.values()
    ]
    losses.append(Line2D([], [], color=INK, ls=":", label=r"$p^{mm}$"))
    values = run.problem.settings[setting]
    numbers = [
        Line2D([], [], color=GRAY, ls="--" if value == values.max() else "-", alpha=_alpha(k, len(values)),
               label=f"${setting} = {value:g}$")
        for k, value in enumerate(values)
    ]  # fmt: skip
    beside: dict[str, Any] = {"loc": "upper left", "borderaxespad": 0, "fontsize": 8}
    legends = [
        axes.legend(handles=losses, bbox_to_anchor=(1.02, 1.0), title="loss", **beside),
        axes.legend(*tokens, bbox_to_anchor=(1.02, 0.74), title="tokens", **beside),
        axes.legend(handles=numbers, bbox_to_anchor=(1.02, 0.40), title="score", ncols=2, **beside),
    ]
    for legend, _ in pairwise(legends):
        axes.add_artist(legend)
