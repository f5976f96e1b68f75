"""Labels, colours and markers of curves for several learning rates."""

from typing import Any

from attention_dynamics.plots.style import BLUE, GREEN, ORANGE, PURPLE, RED
from attention_dynamics.run import Run

STYLES = (
    {"color": BLUE, "marker": "o"},
    {"color": ORANGE, "marker": "s"},
    {"color": GREEN, "marker": "^"},
    {"color": RED, "marker": "D"},
    {"color": PURPLE, "marker": "v"},
)


def style(k: int) -> dict[str, Any]:
    """Return colour and marker of the k-th of several curves."""
    return STYLES[k % len(STYLES)]


def pairs(run: Run) -> dict[tuple[float, float], int]:
    """Return the index of each pair of learning rates of a run, by (eta_Z, eta_Y / eta_Z)."""
    rates = zip(run.training.eta_Y, run.training.eta_Z, strict=True)
    return {(float(z), round(float(y / z), 9)): k for k, (y, z) in enumerate(rates)}


def size_label(run: Run) -> str:
    """Return "#last/next tokens", the numbers of query tokens and of next tokens."""
    classes = run.problem.classes
    return f"{len(classes.queries)}/{len(classes.next)}"
