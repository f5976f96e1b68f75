"""Extension: one token takes all, or attention freezes, by how fast its speed decays (Section 6)."""

from matplotlib.figure import Figure

from attention_dynamics.papers.scan_and_snap.learning_rates import styles
from attention_dynamics.plots.style import label_ends, panels
from attention_dynamics.run import Run, single_run


def draw(runs: dict[str, Run]) -> Figure:
    """Draw the growth exponent and the share of the dominant token over time, a curve for each decay of gamma."""
    run = single_run(runs)
    figure, row = panels(2, height=1.9)
    names = {
        "exponent": "growth exponent $B_n$",
        "top_share": "share of the dominant token",
    }
    looks = styles(run.training.decay)
    for axes, (name, label) in zip(row, names.items(), strict=True):
        ends = []
        for k, p in enumerate(run.training.decay):
            color, values = looks[float(p)]["color"], run.series[name][1:, 0, k]
            axes.plot(run.steps[1:], values, color=color)
            ends.append((float(values[-1]), f"$p = {p:g}$", color))
        axes.set(xscale="log", xlabel="time $t$", ylabel=label, xlim=(run.steps[1], run.steps[-1]))
        if name == "top_share":
            axes.set_ylim(0, 1)
        label_ends(axes, ends)
    return figure
