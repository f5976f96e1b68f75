"""Extension: one token takes all, or attention freezes, by how fast its speed decays (Section 6)."""

from matplotlib.figure import Figure

from attention_dynamics.papers.scan_and_snap.learning_rates import style
from attention_dynamics.plots.style import panels
from attention_dynamics.run import Run, single_run


def draw(runs: dict[str, Run]) -> Figure:
    """Draw the growth exponent and the share of the dominant token over time, a curve for each decay of gamma."""
    run = single_run(runs)
    figure, row = panels(4.4, 3.2, 2)
    names = {
        "exponent": ("growth exponent $B_n$", "growth: without bound for $p \\leq 1$"),
        "top_share": ("share of the dominant token", "attention: one token takes all, or frozen"),
    }
    for axes, (name, (label, title)) in zip(row, names.items(), strict=True):
        for k, p in enumerate(run.training.decay):
            color = style(k)["color"]
            axes.plot(run.steps[1:], run.series[name][1:, 0, k], color=color, label=f"$p = {p:g}$")
        axes.set(xscale="log", xlabel="time $t$", ylabel=label, title=title)
    row[0].legend(title="$\\gamma = (1 + t)^{-p}$", loc="upper left", fontsize=8)
    row[1].set_ylim(0, 1)
    return figure
