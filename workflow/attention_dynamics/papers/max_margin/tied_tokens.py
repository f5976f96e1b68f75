"""Drawing of the tokens of two inputs in the plane of the keys. Each input may have several optimal tokens."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from attention_dynamics.margins.selected_tokens import tied_optimal
from attention_dynamics.plots.planar import MARKER_SIZE
from attention_dynamics.plots.style import GREEN, INK, ORANGE
from attention_dynamics.run import Run

INPUT_COLORS = (GREEN, ORANGE)


def draw_tokens(axes: Axes, run: Run) -> list[Line2D]:
    """Draw the tokens of the two inputs of a run's first problem, and return handles for a legend.

    Optimal tokens are stars, all others are triangles. A token that is in both inputs is drawn half in the color of the
    first and half in that of the second.
    """
    keys, scores = run.problem.keys[0], run.problem.scores()[0]
    optimal = tied_optimal(scores)
    owners: dict[tuple[float, float], list[tuple[str, str]]] = {}
    handles: list[Line2D] = []
    for i, color in enumerate(INPUT_COLORS):
        for t in np.argsort(~optimal[i], kind="stable"):
            marker, name = ("*", "optimal") if optimal[i, t] else ("^", "other")
            owners.setdefault((float(keys[i, t, 0]), float(keys[i, t, 1])), []).append((color, marker))
            label = rf"input {i + 1}, {name}, $\gamma = {scores[i, t]:g}$"
            if label not in [handle.get_label() for handle in handles]:
                handles.append(Line2D([], [], label=label, **_style(marker, color, color)))
    for (x, y), tokens in owners.items():
        colors = [color for color, _ in tokens]
        axes.plot(x, y, zorder=4, **_style(tokens[0][1], colors[0], colors[-1]))
    return handles


def _style(marker: str, left: str, right: str) -> dict[str, Any]:
    halves = {"fillstyle": "left", "markerfacecoloralt": right} if left != right else {}
    return {
        "marker": marker, "ls": "none", "ms": np.sqrt(MARKER_SIZE[marker]), "mec": INK, "mew": 0.4, "mfc": left,
        **halves,
    }  # fmt: skip
