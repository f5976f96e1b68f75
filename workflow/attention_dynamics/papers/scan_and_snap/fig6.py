"""Fig 6: entropy of attention on distinct tokens against the ratio of learning rates."""

import numpy as np
from matplotlib.figure import Figure

from attention_dynamics.papers.scan_and_snap.entropy_line import (
    PUBLISHED_LABEL,
    YLABEL,
    count_seeds,
    plot_entropy,
    plot_published,
)
from attention_dynamics.papers.scan_and_snap.rate_styles import size_label, styles
from attention_dynamics.plots.style import legend, panels
from attention_dynamics.run import Run
from attention_dynamics.series.published import published


def draw(runs: dict[str, Run]) -> Figure:
    """Draw a panel for each run, with a line for each eta_Z and the numbers that are published with the code."""
    figure, row = panels(len(runs), height=2.3, sharey=True)
    row = np.atleast_1d(row)
    numbers = published(__file__, "fig6_entropy")
    for axes, run in zip(row, runs.values(), strict=True):
        looks, size = styles(run.training.eta_Z), size_label(run)
        for k, (eta_Z, look) in enumerate(looks.items()):
            place, rows = k - (len(looks) - 1) / 2, numbers["eta_Z"] == eta_Z
            plot_entropy(axes, run, eta_Z, place, look, rf"$\eta_Z = {eta_Z:g}$")
            ratios, means, deviations = (
                numbers[name][rows] for name in ("eta_Y/eta_Z", f"mean {size}", f"deviation {size}")
            )
            plot_published(axes, ratios, means, deviations, place, PUBLISHED_LABEL if k == len(looks) - 1 else None)
        axes.set(title=f"{size} last/next tokens", xlabel=r"ratio of rates $\eta_Y / \eta_Z$")
    row[0].set_ylabel(YLABEL)
    legend(figure, row[0], title=f"mean and standard deviation of {count_seeds(runs)} seeds")
    return figure
