"""Extension: how much the end of the published protocol depends on its random initialization."""

import numpy as np
from matplotlib.figure import Figure

from attention_dynamics.papers.mirror_descent.exponent_styles import color, exponent
from attention_dynamics.plots.style import PUBLISHED, legend, panels
from attention_dynamics.run import Run
from attention_dynamics.types import PublishedEnds, References, RunName


def draw(runs: dict[str, Run], *, references: References, published: PublishedEnds) -> Figure:
    """Draw one panel per run: the mean divergence from each reference at the end, a circle for every replication.

    references: l_p SVMs by name, with their exponents. published: run -> reference -> the published mean; a cross.
    """
    figure, row = panels(len(runs), height=1.75, sharey=True)
    row = np.atleast_1d(row)
    ordered = sorted(references.items(), key=lambda item: item[1])
    for axes, (name, run) in zip(row, runs.items(), strict=True):
        replication = run.problem.settings["replication"]
        ends = published.get(RunName(name), {})
        for k, (reference, q) in enumerate(ordered):
            last = run.series[f"bregman_{reference}"][-1, :, 0]
            means = [last[replication == number].mean() for number in np.unique(replication)]
            label = "a repetition, mean over its data sets" if k == 0 else None
            places = k + np.linspace(-0.22, 0.22, len(means))
            axes.plot(places, means, "o", color=color(q), mfc="#FFFFFF", ms=3.2, mew=0.8, label=label, clip_on=False)
            if reference in ends:
                axes.plot(k, ends[reference], **PUBLISHED, label="published, read off" if k == 0 else None)
        axes.set(title=f"path: $p = {exponent(run):g}$", xlabel="norm $q$ of the SVM", xlim=(-0.5, len(ordered) - 0.5))
        axes.set_xticks(range(len(ordered)), [f"{q:g}" for _, q in ordered])
    row[0].set(ylabel="mean divergence at the end")
    row[0].set_ylim(bottom=0)
    legend(figure)
    return figure
