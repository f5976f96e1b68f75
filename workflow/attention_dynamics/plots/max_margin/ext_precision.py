"""Extension: what single, double and cancellation-free arithmetic do to the direction of p."""

from matplotlib.figure import Figure

from attention_dynamics.measures.run import Run
from attention_dynamics.plots.style import COLORS, panels
from attention_dynamics.types import DirectionPanels, RecordedStep

NAMES = {"float32": "float32, as published", "float64": "float64, no guard", "stable": "cancellation-free"}
LINES = {"float32": "-.", "float64": "--", "stable": "-"}


def draw(runs: dict[str, Run], *, panel: DirectionPanels, marked: RecordedStep) -> Figure:
    """One panel per entry: cosine with a reference, for the trajectories of interest, in three arithmetics.

    marked: a step to mark on the axis.
    """
    figure, row = panels(3.3, 3.1, len(panel))
    for axes, one in zip(row, panel, strict=True):
        for name in one["runs"]:
            run = runs[name]
            precision = run.settings["precision"]
            series = run.series[f"correlation_{one['reference']}"][:, 0]
            for k, start in enumerate(one["trajectories"]):
                axes.plot(
                    run.steps[1:], series[1:, start], LINES[precision], color=COLORS[precision],
                    label=NAMES[precision] if k == 0 else None, lw=1.3, alpha=0.9,
                )  # fmt: skip
        axes.set(title=one["title"], xlabel="iterations", ylim=one["ylim"], xlim=(0, run.steps[-1]))
        axes.axvline(marked, color="black", lw=0.7, ls=":")
    row[0].set_ylabel("cosine with the SVM direction")
    row[-1].legend(loc="lower left")
    return figure
