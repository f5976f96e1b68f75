"""Extension: where paths of many exponents end, relative to SVMs in many norms."""

import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from attention_dynamics.plots.style import INK, panels
from attention_dynamics.run import Run, single_run
from attention_dynamics.types import References


def draw(runs: dict[str, Run], *, references: References) -> Figure:
    """Draw a heat map, paths by SVMs: medians of the divergence at the end of training.

    A median is over the data sets in which the path selects the optimal tokens; a dot marks the closest SVM of a path.

    references: l_p SVMs of the optimal tokens by name, with their exponents. The run trains a start for each of its
    exponents. A path that selects other tokens in every data set has an empty row.
    """
    run = single_run(runs)
    paths, norms = np.atleast_1d(run.training.optimizer.exponent), sorted(references.items(), key=lambda x: x[1])
    optimal = run.series["selects_optimal"][-1] == 1
    table = np.full((len(paths), len(norms)), np.nan)
    for column, (name, _) in enumerate(norms):
        ends = run.series[f"bregman_{name}"][-1]
        for row in np.flatnonzero(optimal.any(0)):
            table[row, column] = np.median(ends[optimal[:, row], row])
    known = np.flatnonzero(optimal.any(0))
    figure, axes = panels(5.4, 4.8)
    image = axes.imshow(table, origin="lower", cmap="cividis", norm=LogNorm(), aspect="auto")
    axes.plot(table[known].argmin(1), known, "o", ms=4, color="white", mec=INK, label="closest SVM")
    axes.set(xlabel=r"norm of the SVM, $q$", ylabel=r"exponent of the path, $p$")
    axes.set_xticks(np.arange(len(norms)), [f"{q:g}" for _, q in norms], rotation=90)
    axes.set_yticks(np.arange(len(paths)), [f"{p:g}" for p in paths])
    axes.grid(visible=False)
    axes.legend(loc="upper left")
    figure.colorbar(image, label="divergence at the end")
    return figure
