"""Extension of Fig 6: what the initialization does to the entropy of attention."""

from matplotlib.figure import Figure

from attention_dynamics.papers.scan_and_snap.entropy_line import plot_entropy
from attention_dynamics.plots.style import panels
from attention_dynamics.run import Run
from attention_dynamics.types import Labels, Positive


def draw(runs: dict[str, Run], *, eta_Z: Positive, labels: Labels) -> Figure:
    """Draw a line for each run, for one eta_Z, against the ratio of learning rates. labels: one for each run."""
    figure, axes = panels(4.4, 3.2)
    for k, (run, label) in enumerate(zip(runs.values(), labels, strict=True)):
        plot_entropy(axes, run, eta_Z, k, label)
    axes.set(xlabel=r"$\eta_Y / \eta_Z$", ylabel="average entropy of $c_n$")
    axes.legend(loc="lower right")
    return figure
