"""Fig 10: attention entropy of trained decoders against the learning rate."""

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_dynamics.plots.panels import StepPanels
from attention_dynamics.plots.style import BLUE, GRAY, RED, panels
from attention_dynamics.run import Run


def draw(runs: dict[str, Run], *, panel: StepPanels) -> Figure:
    """Draw the entropy after ``step`` steps: mean and sample deviation of the seeds of every run, and each of them."""
    figure, row = panels(4.4, 3.3, len(panel))
    for axes, one in zip(np.atleast_1d(row), panel, strict=True):
        _draw_panel(axes, [runs[name] for name in one.runs], one.step)
        axes.set_title(one.title)
    return figure


def _draw_panel(axes: Axes, runs: list[Run], step: int) -> None:
    rates = [run.training.deep_optimizer.lr for run in runs]
    entropies = [run.series["attention_entropy"][run.at(step), 0] for run in runs]
    for rate, entropy in zip(rates, entropies, strict=True):
        axes.plot([rate] * len(entropy), entropy, "o", color=BLUE, mfc="none", ms=4)
    axes.errorbar(
        rates, [entropy.mean() for entropy in entropies],
        [entropy.std(ddof=1) if len(entropy) > 1 else 0 for entropy in entropies],
        color=RED, capsize=3, label="mean and deviation",
    )  # fmt: skip
    segment = runs[0].training.segment
    uniform = math.lgamma(segment + 1) / segment
    axes.axhline(uniform, color=GRAY, lw=0.9, ls="--", label="uniform attention")
    axes.set(xlabel=r"learning rate $\eta_Y = \eta_Z$", ylabel="attention entropy in nats", xticks=rates)
    axes.set_ylim(0, 1.08 * uniform)
    axes.legend(loc="lower left")
