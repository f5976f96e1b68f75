"""Extension: divergences of paths from SVMs of the tokens that they select, and from SVMs of the published protocol."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from attention_dynamics.papers.mirror_descent.exponent_styles import dashes, exponent
from attention_dynamics.plots.style import GRAY, PUBLISHED, exponent_color, legend, panels
from attention_dynamics.run import Run
from attention_dynamics.types import PublishedEnds, ReferenceName, References, RunName, RunNames

# Position of the final values of the published protocol, and distance between its repetitions, relative to the last
# iteration.
PLACE, SHIFT = 1.09, 0.012
# Position of the published means, relative to the last iteration.
PUBLISHED_PLACE = 1.2
# Markers of the final values of the published protocol: exponent of the SVM -> marker.
SHAPES = {1.75: "o", 2.0: "s", 3.0: "^"}


def draw(
    runs: dict[str, Run], *, paths: RunNames, repeated: RunNames, references: References, published: PublishedEnds
) -> Figure:
    """Draw the divergence from each reference over the iterations, with a panel for each run in ``paths``.

    Lines are medians over the data sets, bands are interquartile ranges. Marks to the right of the curves are final
    divergences under the published protocol: one for each repetition, the mean over its data sets.

    paths: runs with SVMs of the tokens that they select. repeated: for each path, a run of the published protocol with
    several W(0). references: name of an l_q SVM -> its q. published: name of a run in ``repeated`` -> its published
    means, a mapping from names of references to numbers.
    """
    figure, row = panels(len(paths), height=2.1, sharey=True)
    for axes, path, again in zip(row, paths, repeated, strict=True):
        _draw_path(axes, runs[path], references)
        _draw_ends(axes, runs[again], runs[path].steps[-1], references, published.get(RunName(again), {}))
        axes.set(title=f"path: $p = {exponent(runs[path]):g}$", xlabel="iteration $k$", yscale="log")
        axes.set_xlim(0, 1.26 * runs[path].steps[-1])
        axes.locator_params(axis="x", nbins=4)
    row[0].set_ylabel("divergence $D_\\psi$\nfrom $\\ell_q$-AttSVM")
    handles, _ = row[0].get_legend_handles_labels()
    for q in sorted(references.values()):
        end: dict[str, Any] = {"marker": SHAPES.get(q, "o"), "mfc": "none", "ms": 3.2, "mew": 0.8, "ls": ""}
        handles.append(Line2D([], [], color=exponent_color(q), **end, label=f"published protocol, $q = {q:g}$"))
    handles.append(Line2D([], [], **PUBLISHED | {"color": GRAY}, label="published mean, read off"))
    count = runs[paths[0]].series[f"bregman_{next(iter(references))}"].shape[1]
    legend(figure, handles, columns=3, title=f"line and band: median and middle half of {count} data sets")
    return figure


def _draw_path(axes: Axes, run: Run, references: References) -> None:
    for name, q in sorted(references.items(), key=lambda item: item[1]):
        low, middle, high = np.quantile(run.series[f"bregman_{name}"][:, :, 0], [0.25, 0.5, 0.75], axis=1)
        axes.plot(run.steps, middle, color=exponent_color(q), ls=dashes(q), label=rf"$q = {q:g}$")
        axes.fill_between(run.steps, low, high, color=exponent_color(q), alpha=0.2, lw=0)


def _draw_ends(axes: Axes, run: Run, last: int, references: References, published: dict[ReferenceName, float]) -> None:
    replication = run.problem.settings["replication"]
    numbers = np.unique(replication)
    places = last * (PLACE + SHIFT * (np.arange(len(numbers)) - (len(numbers) - 1) / 2))
    for name, q in references.items():
        ends = run.series[f"bregman_{name}"][-1, :, 0]
        means = [ends[replication == number].mean() for number in numbers]
        axes.plot(places, means, SHAPES.get(q, "o"), color=exponent_color(q), mfc="none", ms=3.2, mew=0.8)
        if name in published:
            axes.plot(last * PUBLISHED_PLACE, published[name], **PUBLISHED | {"color": exponent_color(q)})
