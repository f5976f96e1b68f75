"""Fig 7: attention maps of decoders over training."""

import numpy as np
from matplotlib.colors import PowerNorm
from matplotlib.figure import Figure

from attention_dynamics.plots.style import RAMP, panels
from attention_dynamics.run import Run
from attention_dynamics.types import RecordedSteps


def draw(runs: dict[str, Run], *, steps: RecordedSteps) -> Figure:
    """Draw a row for each run and a column for each step: attention in one segment of the validation text.

    The panels show the attention of the lowest layer of the network with the first seed. Positions after the query get
    no attention and are white.
    """
    figure, grid = panels(len(steps), len(runs), height=1.45)
    grid = np.reshape(grid, (len(runs), len(steps)))
    # The square root makes differences between small weights visible beside a few large ones.
    norm = PowerNorm(0.5, vmin=0, vmax=1)
    for row, run in zip(grid, runs.values(), strict=True):
        depth = run.training.network.depth
        for axes, step in zip(row, steps, strict=True):
            attention = run.series["attention_map"][run.at(step), 0, 0]
            future = np.triu(np.ones_like(attention, dtype=bool), 1)
            image = axes.imshow(np.ma.masked_array(attention, future), cmap=RAMP, norm=norm)
            entropy = run.series["attention_entropy"][run.at(step), 0, 0]
            axes.set(title=f"step {step}", xticks=[], yticks=[])
            axes.annotate(f"$H = {entropy:.2f}$", (0.97, 0.88), xycoords="axes fraction", ha="right")
            axes.grid(visible=False)
        row[0].set_ylabel(f"{depth} layer{'s' if depth > 1 else ''}\nquery")
    for axes in grid[-1]:
        axes.set_xlabel("key")
    figure.colorbar(image, ax=list(np.ravel(grid)), label="attention", pad=0.01)
    return figure
