"""Mean directional Bregman divergence over many data sets from SVMs in several norms."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_dynamics.papers.mirror_descent.exponent_styles import color, dashes, exponent
from attention_dynamics.plots.style import panels
from attention_dynamics.run import Run
from attention_dynamics.types import References, RunNames


def draw(runs: dict[str, Run], *, paths: RunNames, references: References, log: bool = False) -> Figure:
    """Draw one panel for each of the runs ``paths``: the mean divergence from each reference.

    The band is one standard deviation around that from the reference in the run's own norm.

    references: l_p SVMs by name, with their exponents. log: a logarithmic axis, without the band.
    """
    figure, row = panels(3.6, 3.1, len(paths))
    row = np.atleast_1d(row)
    for axes, run in zip(row, (runs[name] for name in paths), strict=True):
        _draw_panel(axes, run, references, log)
        axes.set(title=f"path: $p = {exponent(run):g}$", xlabel="iterations", xlim=(0, run.steps[-1]))
    row[0].set_ylabel("directional Bregman divergence")
    row[len(row) // 2].legend(title="SVM in the norm", loc="upper right")
    return figure


def _draw_panel(axes: Axes, run: Run, references: References, log: bool) -> None:
    for name, q in sorted(references.items(), key=lambda item: item[1]):
        values = run.series[f"bregman_{name}"][:, :, 0]
        mean, spread = values.mean(1), values.std(1)
        axes.plot(run.steps, mean, color=color(q), ls=dashes(q), label=rf"$\ell_{{{q:g}}}$")
        if q == exponent(run) and not log:
            axes.fill_between(run.steps, mean - spread, mean + spread, color=color(q), alpha=0.15, lw=0)
    if log:
        axes.set(yscale="log")
    else:
        axes.set_ylim(bottom=0)
