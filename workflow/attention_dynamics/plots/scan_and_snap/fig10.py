"""Attention entropy of trained decoders against the learning rate (Scan and snap Fig 10)."""

import math

import numpy as np
from matplotlib.figure import Figure

from attention_dynamics.plots.style import BLUE, GRAY, RED, panels
from attention_dynamics.run import Run
from attention_dynamics.types import RunGroups


def draw(runs: dict[str, Run], *, groups: RunGroups) -> Figure:
    """A panel for every group of runs: the entropy at the end, mean and sample deviation of the seeds, and each one."""
    figure, row = panels(4.4, 3.0, len(groups))
    for axes, (title, names) in zip(np.atleast_1d(row), groups.items(), strict=True):
        shown = [runs[name] for name in names]
        rates = [run.settings["deep_optimizer"]["lr"] for run in shown]
        ends = [run.series["attention_entropy"][-1, 0] for run in shown]
        for rate, end in zip(rates, ends, strict=True):
            axes.plot([rate] * len(end), end, "o", color=BLUE, mfc="none", ms=4)
        axes.errorbar(
            rates, [end.mean() for end in ends], [end.std(ddof=1) if len(end) > 1 else 0 for end in ends],
            color=RED, capsize=3, label="mean and deviation",
        )  # fmt: skip
        segment = shown[0].settings["segment"]
        uniform = math.lgamma(segment + 1) / segment
        axes.axhline(uniform, color=GRAY, lw=0.9, ls="--", label="uniform attention")
        axes.set(title=title, xlabel=r"learning rate $\eta_Y = \eta_Z$", xticks=rates, ylim=(0, 1.08 * uniform))
    np.atleast_1d(row)[0].set_ylabel("attention entropy in nats")
    np.atleast_1d(row)[-1].legend(loc="lower left")
    return figure
