"""Extension: the rate of convergence of attention beside that of a linear classifier with the same solution."""

import numpy as np
from matplotlib.figure import Figure

from attention_dynamics.papers.mirror_descent.averages import geometric_mean
from attention_dynamics.plots.style import BLUE, ORANGE, legend, panels
from attention_dynamics.run import Run
from attention_dynamics.types import References, RunName

# The late behavior begins after this step.
FIRST_STEP = 10
X_TICKS = (3, 4, 5, 6, 7, 8, 9)
Y_TICKS = (0.05, 0.1, 0.2, 0.5)


def draw(runs: dict[str, Run], *, attention: RunName, linear: RunName, references: References) -> Figure:
    """Draw a panel per exponent: divergences over the logarithm of the number of iterations, both on logarithmic axes.

    Runs have a start for each exponent. Curves are geometric means over the data sets in which attention selects the
    optimal tokens in the end.

    references: l_p SVMs of the optimal tokens by name, with their exponents.
    """
    exponents = np.atleast_1d(runs[attention].training.optimizer.exponent)
    own = {q: name for name, q in references.items()}
    figure, row = panels(len(exponents), height=1.8, sharey=True)
    for start, (p, axes) in enumerate(zip(exponents, np.atleast_1d(row), strict=True)):
        optimal = runs[attention].series["selects_optimal"][-1, :, start] == 1
        for name, label, color, dashes in (
            (attention, "attention, $W$", BLUE, "-"),
            (linear, "linear classifier", ORANGE, (0, (4, 1.5))),
        ):
            run = runs[name]
            late = run.steps >= FIRST_STEP
            divergence = geometric_mean(run.series[f"bregman_{own[p]}"][late][:, optimal, start])
            axes.plot(np.log(run.steps[late]), divergence, color=color, ls=dashes, label=label)
        axes.set(title=f"$p = {p:g}$", xlabel=r"$\ln k$ of iteration $k$", xscale="log", yscale="log")
        axes.set_xticks(X_TICKS, [str(tick) for tick in X_TICKS])
        axes.set_yticks(Y_TICKS, [str(tick) for tick in Y_TICKS])
        axes.minorticks_off()
    np.atleast_1d(row)[0].set_ylabel(r"divergence $D_\psi$")
    legend(figure, np.atleast_1d(row)[0], title="geometric means over the data sets")
    return figure
