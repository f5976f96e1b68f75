"""Extension: the direction of p in single, double and cancellation-free arithmetic."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_dynamics.plots.panels import DirectionPanel, DirectionPanels
from attention_dynamics.plots.style import COLORS, panels
from attention_dynamics.run import Run
from attention_dynamics.types import RecordedStep

NAMES = {"stable": "cancellation-free", "float64": "float64, no guard", "float32": "float32, as published"}
DASHES = {"stable": "", "float64": (4, 2), "float32": (4, 1.5, 1, 1.5)}


def draw(runs: dict[str, Run], *, panel: DirectionPanels, marked: RecordedStep) -> Figure:
    """Draw the cosine with a reference in three kinds of arithmetic, for some trajectories, in a panel per entry.

    marked: a step to mark on the axis.
    """
    import seaborn as sns

    figure, row = panels(3.3, 3.1, len(panel))
    row = np.atleast_1d(row)
    for axes, one in zip(row, panel, strict=True):
        _draw_panel(axes, runs, one, legend=axes is row[-1])
        axes.axvline(marked, color="black", lw=0.7, ls=":")
    row[0].set_ylabel("cosine with the SVM direction")
    sns.move_legend(row[-1], "lower left", title=None)
    return figure


def _draw_panel(axes: Axes, runs: dict[str, Run], panel: DirectionPanel, legend: bool) -> None:
    import pandas as pd
    import seaborn as sns

    curves = pd.concat(
        pd.DataFrame(
            {
                "step": run.steps[1:],
                "cosine": run.series[f"correlation_{panel.reference}"][1:, 0, start],
                "precision": run.training.precision,
                "start": start,
            }
        )
        for run in (runs[name] for name in panel.runs)
        for start in panel.trajectories
    )
    labels = {"hue": curves["precision"].map(NAMES), "style": curves["precision"].map(NAMES)}
    sns.lineplot(
        curves, x="step", y="cosine", units="start", estimator=None, **labels, ax=axes, lw=1.3, legend=legend,
        palette={NAMES[key]: COLORS[key] for key in NAMES}, dashes={NAMES[key]: DASHES[key] for key in NAMES},
    )  # fmt: skip
    axes.set(title=panel.title, xlabel="iterations", ylabel=None, ylim=panel.ylim, xlim=(0, curves["step"].max()))
