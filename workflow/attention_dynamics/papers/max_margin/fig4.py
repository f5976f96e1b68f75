"""Fig 4: normalized gradient descent against gradient descent with a constant step."""

from matplotlib.figure import Figure

from attention_dynamics.plots.style import COLORS, INK, panels
from attention_dynamics.run import Run
from attention_dynamics.types import Interval, RecordedStep, SeriesName

# The paper draws the first 200 iterates.
LAST_DRAWN_STEP = RecordedStep(200)
NAMES = {"normalized_gd": "normalized GD", "gd": "GD, constant step"}
LINES = {"normalized_gd": "-", "gd": "--"}


def draw(
    runs: dict[str, Run], *, series: SeriesName, ylabel: str, ylim: Interval, shown: RecordedStep = LAST_DRAWN_STEP
) -> Figure:
    """Draw a series of every run against the step, up to step ``shown``."""
    figure, axes = panels()
    for run in runs.values():
        optimizer = run.training.optimizer
        kind, last = optimizer.kind, run.at(shown) + 1
        label = rf"{NAMES.get(kind, kind)}, $\eta = {optimizer.step_size:g}$"
        color, line = COLORS.get(kind, INK), LINES.get(kind, ":")
        axes.plot(run.steps[:last], run.series[series][:last, 0, 0], line, color=color, label=label)
    axes.set(xlabel="iterations", ylabel=ylabel, xlim=(0, shown), ylim=ylim)
    axes.locator_params(axis="y", nbins=5)
    axes.legend(loc="lower right" if series.startswith("softmax") else "upper left")
    return figure
