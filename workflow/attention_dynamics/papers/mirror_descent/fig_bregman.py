"""Mean directional Bregman divergence over many data sets from SVMs in several norms."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_dynamics.papers.mirror_descent.exponent_styles import color, dashes, exponent
from attention_dynamics.plots.style import PUBLISHED, legend, panels
from attention_dynamics.run import Run
from attention_dynamics.types import PublishedEnds, References, RunName, RunNames


def draw(
    runs: dict[str, Run], *, paths: RunNames, references: References, log: bool = False,
    published: PublishedEnds | None = None,
) -> Figure:  # fmt: skip
    """Draw one panel for each of the runs ``paths``: the mean divergence from each reference.

    The band is one standard deviation around that from the reference in the run's own norm.

    references: l_p SVMs by name, with their exponents. log: a logarithmic axis, without the band.
    published: run -> reference -> the published mean at the end; a cross.
    """
    figure, row = panels(len(paths), height=1.9, sharey=True)
    row = np.atleast_1d(row)
    for axes, name in zip(row, paths, strict=True):
        run = runs[name]
        _draw_panel(axes, run, references, log)
        ends = (published or {}).get(RunName(name), {})
        if ends:
            last = [run.steps[-1]] * len(ends)
            axes.plot(last, list(ends.values()), **PUBLISHED, clip_on=False, label="published end, read off")
        axes.set(title=f"path: $p = {exponent(run):g}$", xlabel="iteration $k$", xlim=(0, run.steps[-1]))
        axes.locator_params(axis="x", nbins=4)
    if not log:
        row[0].set_ylim(bottom=0)
    row[0].set_ylabel(r"divergence $D_\psi$ of direction")
    legend(figure, place="below", columns=5)
    return figure


def _draw_panel(axes: Axes, run: Run, references: References, log: bool) -> None:
    for name, q in sorted(references.items(), key=lambda item: item[1]):
        values = run.series[f"bregman_{name}"][:, :, 0]
        mean, spread = values.mean(1), values.std(1)
        axes.plot(run.steps, mean, color=color(q), ls=dashes(q), label=rf"from $\ell_{{{q:g}}}$-AttSVM")
        if q == exponent(run) and not log:
            band = (np.maximum(mean - spread, 0), mean + spread)
            axes.fill_between(run.steps, *band, color=color(q), alpha=0.2, lw=0)
    if log:
        axes.set(yscale="log")
