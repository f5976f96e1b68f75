"""Fig 10: attention entropy of trained decoders against the learning rate."""

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_dynamics.plots.panels import StepPanels
from attention_dynamics.plots.style import BLUE, FAINT, GRAY, legend, panels
from attention_dynamics.run import Run


def draw(runs: dict[str, Run], *, panel: StepPanels) -> Figure:
    """Draw the entropy against the learning rate, a panel for each entry of ``panel``, which names runs and a step.

    Each run has one learning rate. A panel shows the value of each seed at the step, and their mean and standard
    deviation.
    """
    figure, row = panels(len(panel), height=1.9, sharey=True)
    for axes, one in zip(np.atleast_1d(row), panel, strict=True):
        _draw_panel(axes, [runs[name] for name in one.runs], one.step)
        seeds = runs[one.runs[0]].series["attention_entropy"].shape[-1]
        axes.set_title(f"{one.title}, {seeds} seed{'s' * (seeds > 1)}")
    np.atleast_1d(row)[0].set_ylabel("attention entropy in nats")
    legend(figure)
    return figure


def _draw_panel(axes: Axes, runs: list[Run], step: int) -> None:
    rates = [run.training.deep_optimizer.lr for run in runs]
    entropies = [run.series["attention_entropy"][run.at(step), 0] for run in runs]
    axes.errorbar(
        rates, [entropy.mean() for entropy in entropies],
        [entropy.std(ddof=1) if len(entropy) > 1 else 0 for entropy in entropies],
        color=BLUE, elinewidth=0.7, label="mean and standard deviation",
    )  # fmt: skip
    for k, (rate, entropy) in enumerate(zip(rates, entropies, strict=True)):
        # Points are drawn beside the error bars, because the bars would cover them.
        beside = rate + 0.12 if len(entropy) > 1 else rate
        label = "a seed" if k == 0 else None
        axes.plot([beside] * len(entropy), entropy, "o", color=BLUE, mfc=FAINT, mew=0.4, ms=2.5, label=label)
    segment = runs[0].training.segment
    uniform = math.lgamma(segment + 1) / segment
    axes.axhline(uniform, color=GRAY, lw=0.7, ls="--", label="uniform attention")
    axes.set(xlabel=r"learning rate $\eta_Y = \eta_Z$", xticks=rates)
    axes.set_ylim(0, 1.08 * uniform)
