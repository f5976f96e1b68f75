"""How the runs of vision transformers look (Mirror descent 4.4 and 4.5)."""

from attention_dynamics.plots.style import BLUE, ORANGE
from attention_dynamics.run import Run

LOOKS = {"adam": ("Adam", BLUE, "-"), "mirror_descent": (r"$\ell_{%g}$-MD", ORANGE, (0, (5, 1.5)))}


def look(run: Run) -> tuple[str, str, object]:
    """Name, color and dashes of a run's optimizer."""
    optimizer = run.settings["deep_optimizer"]
    name, color, dashes = LOOKS[optimizer["kind"]]
    return name % optimizer["exponent"] if "exponent" in optimizer else name, color, dashes
