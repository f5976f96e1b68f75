"""Fig 7: attention maps of decoders over training."""

import numpy as np
from matplotlib.figure import Figure

from attention_dynamics.plots.style import panels
from attention_dynamics.run import Run
from attention_dynamics.types import RecordedSteps


def draw(runs: dict[str, Run], *, shown: RecordedSteps) -> Figure:
    """Draw a row for each run and a column for each step: attention in one segment of the validation text.

    Attention is that of the lowest layer, in the first training of a run. Positions to come, which get none, are left
    white.
    """
    figure, grid = panels(1.95, 2.05, len(shown), len(runs))
    for row, run in zip(np.atleast_2d(grid), runs.values(), strict=True):
        depth = run.training.network.depth
        for axes, step in zip(row, shown, strict=True):
            attention = run.series["attention_map"][run.at(step), 0, 0]
            future = np.triu(np.ones_like(attention, dtype=bool), 1)
            image = axes.imshow(np.ma.masked_array(attention, future), cmap="viridis", vmin=0, vmax=1)
            entropy = run.series["attention_entropy"][run.at(step), 0, 0]
            axes.set(title=f"step {step}", xticks=[], yticks=[])
            axes.annotate(f"$H = {entropy:.2f}$", (0.97, 0.9), xycoords="axes fraction", ha="right", fontsize=9)
            axes.grid(visible=False)
        row[0].set_ylabel(f"{depth} layer{'s' if depth > 1 else ''}")
    figure.colorbar(image, ax=list(np.ravel(grid)), label="attention", pad=0.01)
    return figure
