"""Test accuracy of a vision transformer over the epochs."""

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from attention_dynamics.papers.mirror_descent.optimizer_styles import style
from attention_dynamics.plots.style import panels
from attention_dynamics.run import Run


def draw(runs: dict[str, Run]) -> Figure:
    """Draw a curve for every run: mean of the seeds, and their range."""
    figure, axes = panels(height=2.0)
    for run in runs.values():
        name, color, dashes = style(run)
        values = run.series["test_accuracy"][:, 0]
        axes.fill_between(run.steps, values.min(1), values.max(1), color=color, alpha=0.2, lw=0)
        axes.plot(run.steps, values.mean(1), color=color, ls=dashes, label=name)
    axes.set(xlabel="epoch", ylabel="test accuracy", xlim=(0, run.steps[-1]))
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    axes.legend(loc="lower right", title="mean and range of the seeds")
    return figure
