"""Figure 3c: softmax probability of the optimal tokens and logistic probability of the labels, along training."""

from matplotlib.figure import Figure

from attention_dynamics.plots.style import COLORS, panels
from attention_dynamics.run import Run, single_run
from attention_dynamics.types import RecordedStep


def draw(runs: dict[str, Run], *, shown: RecordedStep = 200) -> Figure:
    """One panel; averages over the inputs for the first ``shown`` iterations."""
    run = single_run(runs)
    figure, axes = panels()
    last = run.at(shown) + 1
    for series, color, label, line in (
        ("softmax_optimal", COLORS["p"], "softmax probability", "-"),
        ("logistic", COLORS["v"], "logistic probability", "--"),
    ):
        axes.plot(run.steps[:last], run.series[series][:last, 0, 0], line, color=color, label=label)
    axes.set(xlabel="iterations", ylabel="probabilities", xlim=(0, shown), ylim=(0.35, 1.02))
    axes.set_xticks(range(0, shown, 50))
    axes.legend(loc="lower right")
    return figure
