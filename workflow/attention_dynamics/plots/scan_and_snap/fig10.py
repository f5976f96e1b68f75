"""Attention entropy of trained decoders against the learning rate (Scan and snap Fig 10)."""

import math

from matplotlib.figure import Figure

from attention_dynamics.plots.style import BLUE, GRAY, RED, panels
from attention_dynamics.run import Run


def draw(runs: dict[str, Run]) -> Figure:
    """The entropy at the end, mean and sample deviation of the seeds of every run, and each of them."""
    figure, axes = panels(4.4, 3.0)
    rates = [run.settings["deep_optimizer"]["lr"] for run in runs.values()]
    ends = [run.series["attention_entropy"][-1, 0] for run in runs.values()]
    for rate, end in zip(rates, ends, strict=True):
        axes.plot([rate] * len(end), end, "o", color=BLUE, mfc="none", ms=4)
    axes.errorbar(
        rates, [end.mean() for end in ends], [end.std(ddof=1) if len(end) > 1 else 0 for end in ends],
        color=RED, capsize=3, label="mean and deviation",
    )  # fmt: skip
    segment = next(iter(runs.values())).settings["segment"]
    uniform = math.lgamma(segment + 1) / segment
    axes.axhline(uniform, color=GRAY, lw=0.9, ls="--", label="uniform attention")
    axes.set(xlabel=r"learning rate $\eta_Y = \eta_Z$", ylabel="attention entropy in nats", xticks=rates)
    axes.set_ylim(0, 1.08 * uniform)
    axes.legend(loc="lower left")
    return figure
