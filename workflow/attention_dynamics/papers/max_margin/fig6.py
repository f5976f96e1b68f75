"""Fig 6: the attention of the [CLS] token to the patches of one image, over the epochs."""

from matplotlib.colors import PowerNorm
from matplotlib.figure import Figure

from attention_dynamics.plots.style import GRAY, RAMP, panels
from attention_dynamics.run import Run
from attention_dynamics.types import RecordedSteps


def draw(run: Run, *, steps: RecordedSteps) -> Figure:
    """Draw the image and its attention maps at the epochs ``steps``, for the first seed.

    The maps are means over the attention heads.
    """
    maps = run.series["attention_map"][[run.at(epoch) for epoch in steps], 0, 0, 1:]
    side = round(maps.shape[1] ** 0.5)
    figure, row = panels(1 + len(steps), height=1.15, lettered=False)
    number = run.training.image
    pixels = run.problem.test_images[number]
    row[0].imshow(pixels[..., 0] if pixels.shape[-1] == 1 else pixels, cmap="gray", vmin=0, vmax=255)
    row[0].set_title(f"image, class {run.problem.test_labels[number]}")
    # Colors show the square root of the weights, so that differences between small weights are visible beside a few
    # large ones.
    norm = PowerNorm(0.5, vmin=0, vmax=maps.max())
    for axes, one, epoch in zip(row[1:], maps, steps, strict=True):
        image = axes.imshow(one.reshape(side, side), cmap=RAMP, norm=norm)
        axes.set_title(f"epoch {epoch}")
    for axes in row:
        axes.set(xticks=[], yticks=[])
        axes.grid(visible=False)
        axes.spines[["top", "right"]].set_visible(True)
        for spine in axes.spines.values():
            spine.set_color(GRAY)
    figure.colorbar(image, ax=list(row), label="attention", pad=0.01, shrink=0.8)
    return figure
