"""Extension: the law and the bounds of Theorem 3."""

import numpy as np
from matplotlib.figure import Figure

from attention_dynamics.papers.scan_and_snap.learning_rates import pairs, style
from attention_dynamics.plots.style import panels
from attention_dynamics.run import Run

# How many of the random problems are drawn.
PROBLEMS = 3


def draw(runs: dict[str, Run]) -> Figure:
    """Draw the error of the law in training for each ratio of learning rates, and the bounds on the growth factor."""
    trained, solved = runs.values()
    figure, row = panels(4.4, 3.3, 2)
    later = trained.steps >= 5
    for k, ((_, ratio), pair) in enumerate(sorted(pairs(trained).items())):
        row[0].plot(trained.steps[later], trained.series["law_error"][later, 0, pair], color=style(k)["color"],
                    label=f"$\\eta_Y/\\eta_Z = {ratio:g}$")  # fmt: skip
    row[0].set(xscale="log", yscale="log", xlabel="step", ylabel=r"relative error of $r = r(0)\,\chi$",
               title="training: the law needs a fast decoder")  # fmt: skip
    row[0].legend(loc="lower right")
    for problem in range(min(PROBLEMS, len(solved.problem.probabilities))):
        color = style(problem)["color"]
        low, factor, high = (
            np.exp(2 * solved.series[name][:, problem, 0]) for name in ("lower", "dominant_logit", "upper")
        )
        row[1].fill_between(solved.steps, low, high, color=color, alpha=0.2, lw=0)
        row[1].plot(solved.steps, factor, color=color, label=f"problem {problem + 1}")
    row[1].set(xlabel="time $t$", ylabel=r"growth factor $\chi_{l_0}$",
               title=r"equation 10: $e^{2 f(0)^2 B} \leq \chi \leq e^{2 B}$ (shaded)")  # fmt: skip
    row[1].legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure
