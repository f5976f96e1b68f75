"""Extension: coefficients of the gradient that the decoder hands to attention (Theorem 1)."""

from matplotlib.figure import Figure

from attention_dynamics.plots.style import BLUE, GRAY, ORANGE, panels
from attention_dynamics.run import Run, single_run


def draw(runs: dict[str, Run]) -> Figure:
    """Draw iota and beta relative to their limits, and xi, over the steps."""
    run = single_run(runs)
    figure, row = panels(3, height=1.8)
    steps = run.steps[1:]
    for axes, (name, color) in zip(row, {"iota": BLUE, "beta": ORANGE, "xi": BLUE}.items(), strict=True):
        axes.plot(steps, run.series[name][1:, 0], color=color, lw=0.5, alpha=0.7)
        axes.set(xscale="log", xlabel="step $t$")
    for axes in row[:2]:
        axes.axhline(1, color=GRAY, ls="--", lw=0.7, label="limit")
        axes.set_ylim(0, 2)
    row[0].legend()
    row[0].set(title="own class", ylabel=r"$\iota_n / (1 - E'_{nn})$")
    row[1].set(title="other classes", ylabel=r"$\beta_{nn'} / E'_{nn'}$")
    row[2].set(title="net push", ylabel=r"$\xi_n$")
    row[2].set_ylim(bottom=0)
    return figure
