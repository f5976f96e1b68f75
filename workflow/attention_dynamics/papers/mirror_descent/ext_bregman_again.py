"""Extension: how much the end of the published protocol depends on its random initialisation."""

import numpy as np
from matplotlib.figure import Figure

from attention_dynamics.papers.mirror_descent.exponent_styles import color, exponent
from attention_dynamics.plots.style import INK, panels
from attention_dynamics.run import Run
from attention_dynamics.types import PublishedEnds, References, RunName


def draw(runs: dict[str, Run], *, references: References, published: PublishedEnds) -> Figure:
    """Draw one panel per run: the mean divergence from each reference at the end, a dot for every replication.

    references: l_p SVMs by name, with their exponents. published: run -> reference -> the published mean; a cross.
    """
    figure, row = panels(3.3, 3.0, len(runs))
    row = np.atleast_1d(row)
    ordered = sorted(references.items(), key=lambda item: item[1])
    for axes, (name, run) in zip(row, runs.items(), strict=True):
        replication = run.problem.settings["replication"]
        ends = published.get(RunName(name), {})
        for k, (reference, q) in enumerate(ordered):
            last = run.series[f"bregman_{reference}"][-1, :, 0]
            means = [last[replication == number].mean() for number in np.unique(replication)]
            axes.plot(k + np.linspace(-0.16, 0.16, len(means)), means, "o", color=color(q), mfc="white", ms=6)
            if reference in ends:
                label = "published, read off" if k == 0 else None
                axes.plot(k, ends[reference], "x", color=INK, ms=8, mew=1.6, label=label)
        axes.set(title=f"path: $p = {exponent(run):g}$", xlabel="norm $q$ of the SVM", xlim=(-0.5, len(ordered) - 0.5))
        axes.set_xticks(range(len(ordered)), [f"{q:g}" for _, q in ordered])
    for axes in row:
        axes.set_ylim(0, max(one.get_ylim()[1] for one in row))
    row[0].set_ylabel("mean divergence at the end")
    row[-1].legend(loc="upper right")
    return figure
