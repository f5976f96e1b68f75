"""How the runs of networks look (Mirror descent 4.3 to 4.5)."""

from attention_dynamics.plots.style import BLUE, ORANGE, PURPLE
from attention_dynamics.run import Run

EXPONENTS = {1.1: (ORANGE, (0, (5, 1.5))), 2: (BLUE, "-"), 3: (PURPLE, (0, (1, 1.2)))}


def look(run: Run) -> tuple[str, str, object]:
    """Name, color and dashes of a run's optimizer."""
    optimizer = run.training.deep_optimizer
    if optimizer.kind == "adam":
        return "Adam", BLUE, "-"
    return optimizer_name(optimizer.exponent), *EXPONENTS[optimizer.exponent]


def optimizer_name(exponent: float) -> str:
    """What l_p mirror descent is called."""
    return "GD" if exponent == 2 else rf"$\ell_{{{exponent:g}}}$-MD"
