"""Names, colors and line styles of the optimizers of networks."""

from attention_dynamics.plots.style import exponent_color, optimizer_style
from attention_dynamics.run import Run

DASHES = {1.1: (0, (5, 1.5)), 1.75: (0, (5, 1.2, 1, 1.2)), 2: "-", 3: (0, (1, 1.2))}


def style(run: Run) -> tuple[str, str, object]:
    """Return name, color and dashes of a run's optimizer."""
    optimizer = run.training.deep_optimizer
    if optimizer.kind != "mirror_descent":
        return *optimizer_style(optimizer.kind), "-"
    return optimizer_name(optimizer.exponent), exponent_color(optimizer.exponent), DASHES.get(optimizer.exponent, "-")


def exponent_of(run: Run) -> float:
    """Return p of l_p mirror descent; 0 for another optimizer."""
    return float(getattr(run.training.deep_optimizer, "exponent", 0))


def optimizer_name(exponent: float) -> str:
    """Return the name of l_p mirror descent in figures; for p = 2 it is "GD", gradient descent."""
    return "GD" if exponent == 2 else rf"$\ell_{{{exponent:g}}}$-MD"
