"""Extension: attention on sequences of finite length (Lemmas 2 and 18)."""

from matplotlib.figure import Figure

from attention_dynamics.plots.style import BLUE, GRAY, GREEN, ORANGE, legend, panels
from attention_dynamics.run import Run, single_run


def draw(runs: dict[str, Run]) -> Figure:
    """Draw distances from the limit against the length, and a line of slope -1/2."""
    run = single_run(runs)
    figure, axes = panels(height=2.3)
    lines = {
        "vector_quantile": (ORANGE, r"$|X^\top b - c_n|$, 95 % quantile"),
        "vector_mean": (BLUE, r"$|X^\top b - c_n|$, mean"),
        "matrix_mean": (GREEN, r"$\|X^\top \mathrm{diag}(b) X - \mathrm{diag}(c_n)\|$, mean"),
    }
    for name, (color, label) in lines.items():
        axes.plot(run.steps, run.series[name][:, 0, 0], "o-", ms=2, color=color, label=label)
    mean = run.series["vector_mean"][:, 0, 0]
    axes.plot(
        run.steps, 0.5 * mean[-1] * (run.steps / run.steps[-1]) ** -0.5, color=GRAY, ls="--", label="slope $-1/2$"
    )
    axes.set(xscale="log", yscale="log", xlabel="number of contextual tokens $T$", ylabel="distance from the limit")
    legend(figure, place="below", columns=1)
    return figure
