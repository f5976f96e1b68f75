"""What the figures with several learning rates share: their labels, colours and markers."""

from typing import Any

from attention_dynamics.plots.style import BLUE, GREEN, ORANGE, PURPLE, RED
from attention_dynamics.run import Run

LOOKS = (
    {"color": BLUE, "marker": "o"},
    {"color": ORANGE, "marker": "s"},
    {"color": GREEN, "marker": "^"},
    {"color": RED, "marker": "D"},
    {"color": PURPLE, "marker": "v"},
)


def look(k: int) -> dict[str, Any]:
    """Colour and marker of the k-th of several curves."""
    return LOOKS[k % len(LOOKS)]


def pairs(run: Run) -> dict[tuple[float, float], int]:
    """(eta_Z, eta_Y / eta_Z) -> which pair of the run's learning rates that is."""
    rates = zip(run.training.eta_Y, run.training.eta_Z, strict=True)
    return {(float(z), round(float(y / z), 9)): k for k, (y, z) in enumerate(rates)}


def classes_label(run: Run) -> str:
    """#last/next tokens, the numbers of query tokens and of next tokens."""
    classes = run.problem.classes
    return f"{len(classes.queries)}/{len(classes.next)}"
