"""Extension: where paths of many exponents end, relative to SVMs in many norms."""

import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from attention_dynamics.plots.style import INK, panels
from attention_dynamics.run import Run, the_only
from attention_dynamics.types import References


def draw(runs: dict[str, Run], *, references: References) -> Figure:
    """A heat map, paths by SVMs: median over the data sets of the divergence at the end of training; a dot marks the
    SVM that is closest to each path.

    references: l_p SVMs by name, with their exponents. The run trains a start for each of its exponents.
    """
    run = the_only(runs)
    paths, norms = run.settings["optimizer"]["exponent"], sorted(references.items(), key=lambda item: item[1])
    table = np.stack([np.median(run.series[f"bregman_{name}"][-1], axis=0) for name, _ in norms], axis=-1)
    figure, axes = panels(5.2, 4.6)
    image = axes.imshow(table, origin="lower", cmap="cividis", norm=LogNorm(table.min(), table.max()), aspect="auto")
    axes.plot(table.argmin(1), np.arange(len(paths)), "o", ms=4, color="white", mec=INK, label="closest SVM")
    axes.set(xlabel=r"norm of the SVM, $q$", ylabel=r"exponent of the path, $p$")
    axes.set_xticks(np.arange(len(norms)), [f"{q:g}" for _, q in norms], rotation=90)
    axes.set_yticks(np.arange(len(paths)), [f"{p:g}" for p in paths])
    axes.grid(visible=False)
    axes.legend(loc="upper left")
    figure.colorbar(image, label="divergence at the end")
    return figure
