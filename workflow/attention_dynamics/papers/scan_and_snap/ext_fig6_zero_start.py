"""Extension of Fig 6: the effect of the initialization on the entropy of attention."""

from matplotlib.figure import Figure

from attention_dynamics.papers.scan_and_snap.entropy_line import (
    PUBLISHED_LABEL,
    YLABEL,
    count_seeds,
    plot_entropy,
    plot_published,
)
from attention_dynamics.plots.style import BLUE, ORANGE, legend, panels
from attention_dynamics.run import Run
from attention_dynamics.series.published import published
from attention_dynamics.types import Labels, Positive

LOOKS = ({"color": BLUE, "marker": "o"}, {"color": ORANGE, "marker": "s"})


def draw(runs: dict[str, Run], *, eta_Z: Positive, labels: Labels) -> Figure:
    """Draw the entropy against the ratio of learning rates for one eta_Z, with a line for each of two runs.

    The first run has the published initialization, so the numbers published with the code are drawn beside its line.
    labels: legend entries of the runs.
    """
    figure, axes = panels(height=2.2)
    for k, (run, label, look) in enumerate(zip(runs.values(), labels, LOOKS, strict=True)):
        plot_entropy(axes, run, eta_Z, k - 0.5, look, label)
    numbers = published(__file__, "ext_fig6_zero_start_entropy")
    rows = numbers["eta_Z"] == eta_Z
    ratios, means, deviations = (numbers[name][rows] for name in ("eta_Y/eta_Z", "mean", "deviation"))
    plot_published(axes, ratios, means, deviations, -0.5, PUBLISHED_LABEL)
    axes.set(xlabel=r"ratio $\eta_Y / \eta_Z$", ylabel=YLABEL)
    legend(figure, columns=1, title=f"mean and standard deviation of {count_seeds(runs)} seeds")
    return figure
