"""Fig 6: the attention of [CLS] to the patches of one image, over the epochs."""

import numpy as np
from matplotlib.figure import Figure

from attention_dynamics.plots.style import panels
from attention_dynamics.run import Run, single_run
from attention_dynamics.types import RecordedSteps


def draw(runs: dict[str, Run], *, shown: RecordedSteps) -> Figure:
    """Draw the image and its attention maps, means over the heads on one colour scale. shown: epochs of the maps."""
    run = single_run(runs)
    maps = run.series["attention_map"][[run.at(epoch) for epoch in shown], 0, 0, 1:]
    side = round(maps.shape[1] ** 0.5)
    figure, row = panels(1.75, 2.1, 1 + len(shown))
    pixels = run.problem.test_images[run.training.image]
    row[0].imshow(pixels[..., 0] if pixels.shape[-1] == 1 else pixels, cmap="gray", vmin=0, vmax=255)
    row[0].set_title("image")
    for axes, one, epoch in zip(row[1:], maps, shown, strict=True):
        image = axes.imshow(one.reshape(side, side), cmap="viridis", vmin=0, vmax=np.quantile(maps, 0.995))
        axes.set_title(f"epoch {epoch}")
    for axes in row:
        axes.set(xticks=[], yticks=[])
        axes.grid(visible=False)
    figure.colorbar(image, ax=list(row), label="attention", extend="max", pad=0.01)
    return figure
