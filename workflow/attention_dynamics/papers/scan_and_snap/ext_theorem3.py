"""Extension: the law and the bounds of Theorem 3."""

import numpy as np
from matplotlib.figure import Figure

from attention_dynamics.papers.scan_and_snap.learning_rates import pairs, styles
from attention_dynamics.plots.style import BLUE, GREEN, ORANGE, RATIO_RAMP, label_ends, panels
from attention_dynamics.run import Run

# Number of random problems in the figure.
PROBLEMS = 3
PROBLEM_COLORS = (BLUE, ORANGE, GREEN)


def draw(runs: dict[str, Run]) -> Figure:
    """Draw the error of the law in training for each ratio of learning rates, and the bounds on the growth factor."""
    trained, solved = runs.values()
    figure, row = panels(2, height=2.0)
    later = trained.steps >= 5
    looks, ends = styles((ratio for _, ratio in pairs(trained)), RATIO_RAMP), []
    for (_, ratio), pair in sorted(pairs(trained).items()):
        error, color = trained.series["law_error"][later, 0, pair], looks[ratio]["color"]
        row[0].plot(trained.steps[later], error, color=color)
        ends.append((float(error[-1]), rf"$\eta_Y/\eta_Z = {ratio:g}$", color))
    row[0].set(
        xscale="log", yscale="log", xlabel="step $t$", ylabel="relative error of the law\n" + r"$r = r(0)\,\chi$"
    )
    label_ends(row[0], ends)
    grown: list[tuple[float, str, str]] = []
    for problem in range(min(PROBLEMS, len(solved.problem.probabilities))):
        color = PROBLEM_COLORS[problem]
        low, factor, high = (
            np.exp(2 * solved.series[name][:, problem, 0]) for name in ("lower", "dominant_logit", "upper")
        )
        row[1].fill_between(solved.steps, low, high, color=color, alpha=0.2, lw=0)
        row[1].plot(solved.steps, factor, color=color)
        grown.append((float(factor[-1]), f"problem {problem + 1}", color))
    row[1].set(xlabel="time $t$", ylabel=r"growth factor $\chi_{l_0}$",
               title=r"band: $e^{2 f(0)^2 B} \leq \chi \leq e^{2 B}$")  # fmt: skip
    row[1].set_xlim(0, solved.steps[-1])
    label_ends(row[1], grown)
    return figure
