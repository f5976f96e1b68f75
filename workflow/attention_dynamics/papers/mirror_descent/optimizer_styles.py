"""Names, colors and line styles of the optimizers of networks."""

from attention_dynamics.plots.style import BLUE, ORANGE, PURPLE
from attention_dynamics.run import Run

STYLES = {1.1: (ORANGE, (0, (5, 1.5))), 2: (BLUE, "-"), 3: (PURPLE, (0, (1, 1.2)))}


def style(run: Run) -> tuple[str, str, object]:
    """Return name, color and dashes of a run's optimizer."""
    optimizer = run.training.deep_optimizer
    if optimizer.kind == "adam":
        return "Adam", BLUE, "-"
    return optimizer_name(optimizer.exponent), *STYLES[optimizer.exponent]


def optimizer_name(exponent: float) -> str:
    """Return the name of l_p mirror descent; that with p = 2 is gradient descent."""
    return "GD" if exponent == 2 else rf"$\ell_{{{exponent:g}}}$-MD"
