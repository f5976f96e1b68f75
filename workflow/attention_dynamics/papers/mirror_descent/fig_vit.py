"""Test accuracy of a vision transformer over the epochs."""

import numpy as np
from matplotlib.figure import Figure

from attention_dynamics.papers.mirror_descent.optimizer_styles import style
from attention_dynamics.plots.style import PUBLISHED, legend, panels
from attention_dynamics.run import Run
from attention_dynamics.series.published import published


def draw(runs: dict[str, Run]) -> Figure:
    """Draw a curve for every run, mean of the seeds, and their range; published accuracies in black, in its dashes."""
    figure, axes = panels(height=2.4)
    numbers = published(__file__, "fig_vit_accuracy")
    handles = []
    for run in runs.values():
        name, color, dashes = style(run)
        values = run.series["test_accuracy"][:, 0]
        axes.fill_between(run.steps, values.min(1), values.max(1), color=color, alpha=0.2, lw=0)
        handles += axes.plot(run.steps, values.mean(1), color=color, ls=dashes, label=name)
        known = np.isfinite(accuracy := numbers[run.training.deep_optimizer.kind])
        line = PUBLISHED | {"ms": 3.5, "mew": 0.8, "lw": 0.6, "ls": dashes, "label": f"{name}, published"}
        handles += axes.plot(numbers["epoch"][known], accuracy[known], **line)
    # The published training is much longer.
    axes.set(xlabel="epoch", ylabel="test accuracy", xscale="log", xlim=(1, 1100), ylim=(0, 1))
    axes.xaxis.set_major_formatter("{x:g}")
    legend(figure, handles, place="below", columns=2, title="ours: mean and range of the seeds")
    return figure
