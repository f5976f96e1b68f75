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
    paths, norms = np.atleast_1d(run.training.optimizer.exponent), sorted(references.items(), key=lambda x: x[1])
    optimal = run.series["selects_optimal"][-1] == 1
    table = np.full((len(paths), len(norms)), np.nan)
    for column, (name, _) in enumerate(norms):
        ends = run.series[f"bregman_{name}"][-1]
        for row in np.flatnonzero(optimal.any(0)):
            table[row, column] = np.median(ends[optimal[:, row], row])
    known = np.flatnonzero(optimal.any(0))
    figure, axes = panels(height=3.3, width=4.0)
    ratio = np.log10(table / np.nanmin(np.where(np.isnan(table), np.inf, table), axis=1, keepdims=True))
    image = axes.imshow(ratio, origin="lower", cmap=f"{RAMP}_r", vmin=0, vmax=np.log10(FAR), aspect="auto")
    own = [int(np.argmin([abs(q - p) for _, q in norms])) for p in paths]
    axes.plot(own, np.arange(len(paths)), color=INK, lw=0.8, label="own norm, $q = p$")
    closest = table[known].argmin(1)
    axes.plot(closest, known, "o", ms=3.2, color="#FFFFFF", mec=INK, mew=0.6, label="closest SVM")
    axes.set(xlabel="norm of the SVM, $q$", ylabel="exponent of the path, $p$")
    axes.set_xticks(np.arange(len(norms)), [f"{q:g}" for _, q in norms], rotation=90)
    axes.set_yticks(np.arange(len(paths)), [f"{p:g}" for p in paths])
    axes.grid(visible=False)
    bar = figure.colorbar(image, label="divergence at the end, over that from the closest SVM", extend="max")
    powers = range(round(np.log10(FAR)) + 1)
    bar.set_ticks(list(powers), labels=[f"{10**power}" for power in powers])
    legend(figure, axes)
    return figure
