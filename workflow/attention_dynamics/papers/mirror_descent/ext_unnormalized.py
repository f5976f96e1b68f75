"""Extension: constant steps (used in the theory), normalized steps (in the experiments), and a linear classifier."""

import numpy as np
from matplotlib.figure import Figure

from attention_dynamics.papers.mirror_descent.mirror_flow import divergence_exponent
from attention_dynamics.plots.style import BLUE, INK, ORANGE, PURPLE, legend, panels
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.types import References, RunName


def draw(
    runs: dict[str, Run], *, constant: RunName, normalized: RunName, linear: RunName, references: References
) -> Figure:
    """Draw a column per exponent: divergences against the iteration in the upper panel, and against |W|_p in the lower.

    Curves are geometric means, and bands ranges, over the data sets in which attention selects the optimal tokens at
    the end under both kinds of steps. The lower panels show attention only; a dotted line has the slope of the theory
    for late iterations.
    constant, normalized, linear: runs with a start for each exponent. references: name of an l_p SVM of the optimal
    tokens -> its p.
    """
    styles = {
        linear: (ORANGE, (0, (1, 1.2)), "linear classifier, constant steps"),
        constant: (BLUE, "-", "attention, constant steps"),
        normalized: (PURPLE, (0, (4, 1.5)), "attention, normalized steps"),
    }
    exponents = np.atleast_1d(runs[constant].training.optimizer.exponent)
    own = {q: name for name, q in references.items()}
    figure, grid = panels(len(exponents), 2, height=1.6, sharey=True)
    for start, (p, (above, below)) in enumerate(zip(exponents, np.reshape(grid, (2, -1)).T, strict=True)):
        optimal = np.all(
            [runs[name].series["selects_optimal"][-1, :, start] == 1 for name in (constant, normalized)], 0
        )
        for name, (color, dashes, label) in styles.items():
            # Step 0 is left out, because W(0) = 0 has no direction.
            run, values = runs[name], runs[name].series[f"bregman_{own[p]}"][1:, optimal, start]
            divergence = _geometric_mean(values)
            above.plot(run.steps[1:], divergence, color=color, ls=dashes, label=label)
            if optimal.any():
                above.fill_between(run.steps[1:], values.min(1), values.max(1), color=color, alpha=0.15, lw=0)
            if name != linear:
                norm = _geometric_mean(run.series["lp_norm_W"][1:, optimal, start])
                below.plot(norm, divergence, color=color, ls=dashes)
        slope = divergence_exponent(p)
        late = norm[[-1 - len(norm) // 5, -1]]
        # The line is drawn above the curve, so that both are visible.
        below.plot(late, 2 * divergence[-1] * (late / late[-1]) ** slope, color=INK, ls=":", label=f"slope ${slope:g}$")
        above.set(title=f"$p = {p:g}$, {optimal.sum()} data sets", xlabel="iteration $k$")
        below.set(xlabel=r"norm $\|W(k)\|_p$")
        below.legend(loc="lower left")
    for axes in grid.flat:
        axes.set(xscale="log", yscale="log")
    first = np.reshape(grid, (2, -1))[:, 0]
    for axes in first:
        axes.set_ylabel(r"divergence $D_\psi$")
    legend(figure, first[0], title="geometric mean and range of the data sets")
    return figure


def _geometric_mean(values: Array) -> Array:
    """Return the geometric means over data sets, (records,), of values (records, data sets); NaN without data sets."""
    return np.exp(np.log(values).mean(1)) if values.shape[1] else np.full(len(values), np.nan)
