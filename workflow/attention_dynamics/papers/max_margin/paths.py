"""Drawing of paths on any planar problem, for the experiments that users copy from the interactive page."""

import itertools

import numpy as np
from matplotlib.figure import Figure

from attention_dynamics.plots import planar
from attention_dynamics.plots.style import COLORS, INPUT_COLORS, legend
from attention_dynamics.run import Run
from attention_dynamics.types import Interval

# Approximate number of arrowheads on a path of many records.
ARROWS = 20
# Height of the legend, in inches.
LEGEND_HEIGHT = 0.48
NAMES = {"gmm": r"max-margin direction of $p$", "head": r"max-margin direction of $v$"}


def draw(run: Run, *, xlim: Interval | None = None, ylim: Interval | None = None) -> Figure:
    """Draw the paths of p from every start, the paths of v if v is trained, the reference directions and the tokens.

    xlim, ylim: limits of the axes; by default, all paths and tokens fit. Raises ValueError for a run on several data
    sets.
    """
    if len(run.problem.labels) > 1:
        raise ValueError(f"paths of one data set can be drawn, not of {len(run.problem.labels)}: set datasets: 1")
    paths = {name: run.trajectory[name][:, 0, :, :2] for name in ("p", "v") if name in run.trajectory}
    keys = run.problem.keys[0, ..., :2]
    seen = np.concatenate([keys.reshape(-1, 2), *(path.reshape(-1, 2) for path in paths.values())])
    room = 0.08 * max(np.ptp(seen, axis=0).max(), 1.0)
    low, high = seen.min(0) - room, seen.max(0) + room
    figure, axes = planar.plane_panels(
        1, xlim or (low[0], high[0]), ylim or (low[1], high[1]), extra=LEGEND_HEIGHT, name="coordinate"
    )
    for parameter, path in paths.items():
        for start in range(path.shape[1]):
            label = f"${parameter}(t)$" if start == 0 else None
            every = max(1, len(path) // ARROWS)
            planar.trajectory(axes, path[:, start], COLORS[parameter], arrow_every=every, label=label)
    for name, reference in run.references.items():
        if np.isfinite(reference["direction"][0]).all():
            planar.ray(axes, reference["direction"][0], COLORS[str(reference["parameter"])], NAMES.get(name, name))
    for i, color in zip(range(len(keys)), itertools.cycle(INPUT_COLORS), strict=False):
        for t, position in enumerate(keys[i]):
            best = t == run.problem.optimal[0, i]
            label = f"optimal token of input {i + 1}" if best else None
            planar.token(axes, position, color, "*" if best else "o", label)
    legend(figure, place="below", columns=2)
    return figure
