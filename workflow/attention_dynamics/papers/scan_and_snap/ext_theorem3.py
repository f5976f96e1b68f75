"""Extension: the law and the bounds of Theorem 3."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullFormatter

from attention_dynamics.papers.scan_and_snap.rate_styles import pairs, styles
from attention_dynamics.plots.style import BLUE, RATIO_RAMP, label_ends, legend, panels
from attention_dynamics.run import Run

# Ticks of the axes that show the growth factor.
TICKS = (1, 1.5, 2, 3, 5)


def draw(runs: dict[str, Run]) -> Figure:
    """Draw the error of the law (eq. 11) in training, and the growth factor with its bounds (eq. 12).

    runs: two runs. The first run trains the model. The first panel shows it, with a curve for each ratio of learning
    rates. The second run solves equation 10. Each other panel shows one of its first three problems.
    """
    trained, solved = runs.values()
    figure, grid = panels(2, 2, height=1.6)
    law, *growth = grid.flat
    later = trained.steps >= 5
    looks, ends = styles((ratio for _, ratio in pairs(trained)), RATIO_RAMP), []
    for (_, ratio), pair in sorted(pairs(trained).items()):
        error, color = trained.series["law_error"][later, 0, pair], looks[ratio]["color"]
        law.plot(trained.steps[later], error, color=color)
        ends.append((float(error[-1]), rf"$\eta_Y/\eta_Z = {ratio:g}$", color))
    label = "relative error of\nthe law " + r"$r = r(0)\,\chi$"
    law.set(title="law, in training", xscale="log", yscale="log", xlabel="step $t$", ylabel=label)
    label_ends(law, ends, gap=0.12)
    drawn = growth[: len(solved.problem.probabilities)]
    for axes in growth[len(drawn) :]:
        axes.set_axis_off()
    for problem, axes in enumerate(drawn):
        low, factor, high = (
            np.exp(2 * solved.series[name][:, problem, 0]) for name in ("lower", "dominant_logit", "upper")
        )
        axes.fill_between(solved.steps, low, high, color=BLUE, alpha=0.2, lw=0)
        for bound in (low, high):
            axes.plot(solved.steps, bound, color=BLUE, ls="--", lw=0.7, label="bounds")
        axes.plot(solved.steps, factor, color=BLUE, label=r"growth factor $\chi$")
        axes.set(title=f"problem {problem + 1}", xlabel="time $t$", xlim=(0, solved.steps[-1]))
        # The axis is logarithmic, because the lower bound of a problem is close to its growth factor.
        axes.set(yscale="log", ylabel=r"growth factor $\chi_{l_0}$")
        axes.yaxis.set_major_locator(FixedLocator(TICKS))
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_formatter(NullFormatter())
    legend(figure, growth[0])
    return figure
