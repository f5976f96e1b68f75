"""Fig 7: soft-sparsity of the attention, and norm of the combined key-query matrix, over the epochs."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from attention_dynamics.plots.style import BLUE, RED, panels
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run, single_run


def draw(runs: dict[str, Run]) -> Figure:
    """Draw both on axes of their own: the mean over the seeds, and each seed as a thin line."""
    run = single_run(runs)
    figure, left = panels(4.8, 3.3)
    right = left.twinx()
    right.spines["right"].set_visible(True)
    right.grid(visible=False)
    labels = ("soft-sparsity", r"$\|W_K W_Q^\top\|_F$")
    lines = [
        _draw_curve(axes, run.steps, run.series[name][:, 0], color, label, dashes)
        for axes, name, color, label, dashes in (
            (left, "soft_sparsity", RED, labels[0], "-"), (right, "key_query_norm", BLUE, labels[1], "--"),
        )
    ]  # fmt: skip
    left.set(xlabel="epochs", xlim=(0, run.steps[-1]))
    left.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    left.legend(handles=lines, loc="lower left")
    return figure


def _draw_curve(axes: Axes, epochs: Array, values: Array, color: str, label: str, dashes: str) -> object:
    axes.plot(epochs, values, color=color, lw=0.6, alpha=0.5)
    axes.set_ylabel(label, color=color)
    axes.set_ylim(bottom=0)
    return axes.plot(epochs, values.mean(1), color=color, ls=dashes, label=label)[0]
