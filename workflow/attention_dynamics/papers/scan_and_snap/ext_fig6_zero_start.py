"""Extension of Fig 6: the effect of the initialization on the entropy of attention."""

from matplotlib.figure import Figure

from attention_dynamics.papers.scan_and_snap.entropy_line import plot_entropy
from attention_dynamics.plots.style import BLUE, ORANGE, legend, panels
from attention_dynamics.run import Run
from attention_dynamics.types import Labels, Positive

LOOKS = ({"color": BLUE, "marker": "o"}, {"color": ORANGE, "marker": "s"})


def draw(runs: dict[str, Run], *, eta_Z: Positive, labels: Labels) -> Figure:
    """Draw a line for each run, for one eta_Z, against the ratio of learning rates. labels: one for each run."""
    figure, axes = panels(height=2.1)
    for k, (run, label, look) in enumerate(zip(runs.values(), labels, LOOKS, strict=True)):
        plot_entropy(axes, run, eta_Z, k - 0.5, look, label)
    axes.set(xlabel=r"ratio $\eta_Y / \eta_Z$", ylabel="mean entropy of $c_n$")
    legend(figure, columns=1, title="mean and deviation of the seeds, from")
    return figure
