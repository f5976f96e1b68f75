"""Figure of the directional Bregman divergence of iterates from SVMs in several norms, mean over many data sets."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from attention_dynamics.papers.mirror_descent.exponent_styles import dashes, exponent
from attention_dynamics.plots.style import PUBLISHED, exponent_color, legend, panels
from attention_dynamics.run import Run
from attention_dynamics.series.published import published as published_numbers
from attention_dynamics.types import References, RunName, RunNames

_PUBLISHED: dict[str, Any] = PUBLISHED | {"ms": 3.5, "mew": 0.8, "lw": 0.6}


def draw(runs: dict[str, Run], *, paths: RunNames, references: References, published: RunName | None = None) -> Figure:
    """Draw one panel for each of the runs ``paths``: the mean divergence from each reference over the data sets.

    The mean for the SVM in the run's own norm, q = p, has a band of one standard deviation.

    references: name of an l_q SVM -> its q. published: the run, with p = 3, in whose panel the curves of the published
    picture are drawn in black.
    """
    figure, row = panels(len(paths), height=2.1, sharey=True)
    row = np.atleast_1d(row)
    for axes, name in zip(row, paths, strict=True):
        run = runs[name]
        _draw_panel(axes, run, references)
        if name == published:
            _draw_published(axes, references)
        axes.set(title=f"path: $p = {exponent(run):g}$", xlabel="iteration $k$", xlim=(0, 1.02 * run.steps[-1]))
        axes.locator_params(axis="x", nbins=4)
    row[0].set_ylim(bottom=0)
    row[0].set_ylabel("divergence $D_\\psi$\nfrom $\\ell_q$-AttSVM")
    handles, _ = row[0].get_legend_handles_labels()
    if published:
        handles.append(Line2D([], [], **_PUBLISHED, label="published, read off (dashes as its $q$)"))
    count = runs[paths[0]].series[f"bregman_{next(iter(references))}"].shape[1]
    legend(figure, handles, columns=4, title=f"mean of {count} data sets; band, for $q = p$: standard deviation")
    return figure


def _draw_published(axes: Axes, references: References) -> None:
    """Draw the published numbers for each reference as crosses, joined by a line in the dashes of the reference."""
    numbers = published_numbers(__file__, "fig_bregman_curves")
    for name, q in references.items():
        known = np.isfinite(numbers[name])
        axes.plot(numbers["iteration"][known], numbers[name][known], **(_PUBLISHED | {"ls": dashes(q)}))


def _draw_panel(axes: Axes, run: Run, references: References) -> None:
    for name, q in sorted(references.items(), key=lambda item: item[1]):
        values = run.series[f"bregman_{name}"][:, :, 0]
        mean, spread = values.mean(1), values.std(1)
        axes.plot(run.steps, mean, color=exponent_color(q), ls=dashes(q), label=rf"$q = {q:g}$")
        if q == exponent(run):
            band = (np.maximum(mean - spread, 0), mean + spread)
            axes.fill_between(run.steps, *band, color=exponent_color(q), alpha=0.2, lw=0)
