"""Extension: the theory's constant steps beside the experiments' normalized ones."""

import numpy as np
from matplotlib.figure import Figure

from attention_dynamics.papers.mirror_descent.averages import geometric_mean
from attention_dynamics.papers.mirror_descent.mirror_flow import divergence_exponent
from attention_dynamics.plots.style import BLUE, INK, PURPLE, legend, panels
from attention_dynamics.run import Run
from attention_dynamics.types import References, RunName

STYLES = {"constant steps": (BLUE, "-"), "normalized steps": (PURPLE, (0, (4, 1.5)))}


def draw(runs: dict[str, Run], *, constant: RunName, normalized: RunName, references: References) -> Figure:
    """Draw a column per exponent: divergences over the iterations above, over the norm of W below.

    Runs have a start for each exponent. Curves are geometric means over the data sets in which normalized steps select
    the optimal tokens in the end; a line has the slope that theory gives for late iterations.

    references: l_p SVMs of the optimal tokens by name, with their exponents.
    """
    exponents = np.atleast_1d(runs[constant].training.optimizer.exponent)
    own = {q: name for name, q in references.items()}
    figure, grid = panels(len(exponents), 2, height=1.55, sharey=True)
    for start, (p, (above, below)) in enumerate(zip(exponents, np.reshape(grid, (2, -1)).T, strict=True)):
        optimal = runs[normalized].series["selects_optimal"][-1, :, start] == 1
        for (label, (color, dashes)), name in zip(STYLES.items(), (constant, normalized), strict=True):
            run = runs[name]
            # W(0) = 0 has no direction.
            divergence = geometric_mean(run.series[f"bregman_{own[p]}"][1:, optimal, start])
            norm = geometric_mean(run.series["lp_norm_p"][1:, optimal, start])
            above.plot(run.steps[1:], divergence, color=color, ls=dashes, label=label)
            below.plot(norm, divergence, color=color, ls=dashes)
        slope = divergence_exponent(p)
        late = norm[[-1 - len(norm) // 5, -1]]
        # Drawn above the curve, so that both are visible.
        guide = 2 * divergence[-1] * (late / late[-1]) ** slope
        below.plot(late, guide, color=INK, lw=1, ls=":", label=f"slope ${slope:g}$")
        above.set(title=f"$p = {p:g}$", xlabel="iteration $k$")
        below.set(xlabel=r"norm $\|W(k)\|_p$")
        below.legend(loc="lower left")
    for axes in grid.flat:
        axes.set(xscale="log", yscale="log")
    first = np.reshape(grid, (2, -1))[:, 0]
    for axes in first:
        axes.set_ylabel(r"divergence $D_\psi$")
    legend(figure, first[0], title="geometric means over the data sets")
    return figure
