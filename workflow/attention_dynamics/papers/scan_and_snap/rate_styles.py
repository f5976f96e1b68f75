"""Labels, colors and markers of curves for several learning rates."""

from collections.abc import Iterable
from typing import Any

from attention_dynamics.plots.style import RAMP, ramp
from attention_dynamics.run import Run

MARKERS = ("o", "s", "^", "D", "v")


def styles(values: Iterable[float], name: str = RAMP) -> dict[float, dict[str, Any]]:
    """Return value -> color and marker, for learning rates or ratios of them. name: name of the color ramp."""
    ordered = sorted(set(map(float, values)))
    colors = ramp(ordered, name)
    return {one: {"color": colors[k], "marker": MARKERS[k % len(MARKERS)]} for k, one in enumerate(ordered)}


def pairs(run: Run) -> dict[tuple[float, float], int]:
    """Return a dict: (eta_Z, eta_Y / eta_Z) -> index of this pair of learning rates in a run."""
    rates = zip(run.training.eta_Y, run.training.eta_Z, strict=True)
    return {(float(z), round(float(y / z), 9)): k for k, (y, z) in enumerate(rates)}


def size_label(run: Run) -> str:
    """Return the numbers of query tokens and of next tokens as a label such as "2/4"."""
    classes = run.problem.classes
    return f"{len(classes.queries)}/{len(classes.next)}"
