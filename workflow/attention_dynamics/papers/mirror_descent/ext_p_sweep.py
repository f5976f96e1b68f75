"""Extension: which l_q SVM the path of each exponent p ends closest to."""

import numpy as np
from matplotlib.figure import Figure

from attention_dynamics.plots.style import INK, RAMP, legend, panels
from attention_dynamics.run import Run
from attention_dynamics.types import References

# End of the color scale for the divergence divided by that from the closest SVM. Larger ratios have the same color.
FAR = 100


def draw(run: Run, *, references: References) -> Figure:
    """Draw a heat map of final divergences, with a row for each exponent p of a path and a column for each l_q SVM.

    A cell shows the median divergence of the path from the SVM, over the data sets in which the path selects the
    optimal tokens, divided by the smallest median of its row. Rows without such data sets are empty. A dot marks the
    closest SVM of each path; a line joins the cells whose q is nearest to p.

    run: a run with a start for each exponent p. references: name of an l_q SVM of the optimal tokens -> its q.
    """
    # Imported here, because this takes a second, and every start of Snakemake imports this module.
    import pandas as pd
    import seaborn as sns

    paths, norms = np.atleast_1d(run.training.optimizer.exponent), sorted(references.items(), key=lambda x: x[1])
    optimal = run.series["selects_optimal"][-1] == 1
    table = pd.DataFrame(index=[f"{p:g}" for p in paths], columns=[f"{q:g}" for _, q in norms], dtype=float)
    for column, (name, _) in enumerate(norms):
        ends = run.series[f"bregman_{name}"][-1]
        for row in np.flatnonzero(optimal.any(0)):
            table.iat[row, column] = np.median(ends[optimal[:, row], row])
    figure, axes = panels(height=3.3, width=4.0)
    powers = range(round(np.log10(FAR)) + 1)
    # Rasterized, because PDF viewers show thin lines between cells that are drawn as vector shapes.
    sns.heatmap(
        np.log10(table.div(table.min(axis=1), axis=0)), ax=axes, cmap=f"{RAMP}_r", vmin=0, vmax=np.log10(FAR),
        xticklabels=True, yticklabels=True, rasterized=True,
        cbar_kws={
            "label": "divergence at the end, over that from the closest SVM", "extend": "max", "ticks": list(powers),
            "format": lambda power, _: f"{10**power:g}",
        },
    )  # fmt: skip
    axes.invert_yaxis()
    # Cell k extends from k to k + 1 on each axis.
    middle = np.arange(len(paths)) + 0.5
    own = [int(np.argmin([abs(q - p) for _, q in norms])) + 0.5 for p in paths]
    axes.plot(own, middle, color=INK, lw=0.8, label="own norm, $q = p$")
    known = np.flatnonzero(optimal.any(0))
    closest = table.to_numpy()[known].argmin(1) + 0.5
    axes.plot(closest, middle[known], "o", ms=3.2, color="#FFFFFF", mec=INK, mew=0.6, label="closest SVM")
    axes.set(xlabel="norm of the SVM, $q$", ylabel="exponent of the path, $p$")
    legend(figure, axes)
    return figure
