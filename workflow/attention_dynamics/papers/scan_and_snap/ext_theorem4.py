"""Extension: the two stages of training (Lemma 9 and Theorem 4)."""

from matplotlib.figure import Figure

from attention_dynamics.plots.style import BLUE, GRAY, INK, ORANGE, SMALL_FONT_SIZE, legend, panels
from attention_dynamics.run import Run


def draw(runs: dict[str, Run]) -> Figure:
    """Draw the speed gamma and the growth exponent B_n of the first run over t / t0'.

    Dashed lines are their asymptotic forms, which ``growth_laws`` computes. Vertical lines are at t0' and t0.
    """
    run = next(iter(runs.values()))
    figure, row = panels(2, height=2.2)
    visible = run.steps >= 0.1
    t = run.steps[visible]
    series = {name: values[visible, 0, 0] for name, values in run.series.items()}
    row[0].plot(t, series["speed"], color=INK, label=r"$\gamma$ by equation 85, $B_n$ by equation 129")
    row[0].plot(t, series["speed_rate"], color=BLUE, ls="--", label="Lemma 9 in a, Theorem 4 in b")
    row[0].plot(t, series["late_rate"], color=ORANGE, ls="--", label="late rate of Theorem 1, in a")
    row[0].set(yscale="log", ylabel=r"speed of attention $\gamma$")
    row[1].plot(t, series["printed_exponent"], color=INK)
    row[1].plot(t, series["exponent_rate"], color=BLUE, ls="--")
    row[1].set_ylabel("growth exponent $B_n$")
    stages = {"$t_0'$": 1.0, "$t_0$": float(series["snapping_start"][0] / series["scanning_end"][0])}
    for axes in row:
        axes.set(xscale="log", xlabel="time $t / t_0'$")
        for name, time in stages.items():
            axes.axvline(time, color=GRAY, ls=":", lw=0.8)
            axes.annotate(
                name, (time, 1), (0, 1.5), xycoords=axes.get_xaxis_transform(), textcoords="offset points",
                ha="center", va="bottom", fontsize=SMALL_FONT_SIZE,
            )  # fmt: skip
    legend(figure, row[0])
    return figure
