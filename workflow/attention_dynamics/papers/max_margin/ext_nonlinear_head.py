"""Extension: regularization paths of nonlinear heads (Theorem 8), and the cost of mixing (Assumptions C and D)."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_dynamics.margins.selection import tied_optimal
from attention_dynamics.plots import planar
from attention_dynamics.plots.style import BLUE, GRAY, GREEN, INK, ORANGE, PURPLE, legend, panels
from attention_dynamics.run import Run
from attention_dynamics.types import Interval, Positive, ReferencePair, RunName

NAMES = {
    "tied_path": (INK, "o-", "linear head"),
    "nonlinear": (PURPLE, "s-", "nonlinear head"),
    "mixing_pays": (BLUE, "^-", "nonlinear head, mixing pays"),
    "rays_linear": (INK, "o", "linear head"),
    "rays_nonlinear": (PURPLE, "s", "nonlinear head"),
    "rays_mixing_pays": (BLUE, "^", "nonlinear head, mixing pays"),
}
INPUT_COLORS = (GREEN, ORANGE)


def draw(
    runs: dict[str, Run], *, solutions: ReferencePair, xlim: Interval = (-5, 5), ylim: Interval = (-3, 7)
) -> Figure:
    """Draw the paths in the plane, and their distance from the solutions of ATT-SVM' against R."""
    figure, (plane, distance) = panels(2, height=2.75)
    first = next(iter(runs.values()))
    for name, run in runs.items():
        color, style, label = NAMES[name]
        path = run.trajectory["p"][1:, 0, 0, :2]
        plane.plot(*path.T, style, color=color, ms=2.5, lw=0.9, label=label, zorder=4)
        series = run.series["solution_distance"][1:, 0, 0].clip(1e-12)
        distance.loglog(run.steps[1:], series, style, color=color, ms=2.5, lw=0.9)
    planar.plane(plane, xlim, ylim)
    for name in solutions:
        planar.ray(plane, first.references[name]["direction"][0], GRAY, None)
    _tokens(plane, first)
    distance.set(
        xlabel="bound $R$ on the norm", ylabel=r"distance of $\bar{p}(R)\,\|p^{\mathrm{mm}}\| / R$ from the solutions"
    )
    legend(figure, plane)
    return figure


def _tokens(axes: Axes, run: Run) -> None:
    keys, optimal = run.problem.keys[0], tied_optimal(run.problem.scores()[0])
    for i, color in zip(range(len(keys)), INPUT_COLORS, strict=False):
        for t in range(keys.shape[1]):
            planar.token(axes, keys[i, t], color, "*" if optimal[i, t] else "^", None)


def draw_mixing(runs: dict[str, Run], *, labels: RunName, slope: Positive = 1.0) -> Figure:
    """Draw log L(p) - L* against log q_max for each head, and the label margin against mixing for the run ``labels``.

    slope: of the line in the first panel, in powers of q_max.
    """
    figure, (risk, margin) = panels(2, height=2.4)
    for name, run in runs.items():
        if name == labels:
            continue
        color, style, label = NAMES[name]
        q, excess, sign = (run.series[s][1:].ravel() for s in ("log_nonoptimal", "log_excess", "excess_sign"))
        for kept, face, suffix in ((sign > 0, color, ""), (sign < 0, "none", r", $\mathcal{L} < \mathcal{L}^\star$")):
            if kept.any():
                axes_x, axes_y = q[kept] / np.log(10), excess[kept] / np.log(10)
                risk.plot(axes_x, axes_y, style, color=color, mfc=face, ms=2, mew=0.4, ls="", label=label + suffix)
    ends = np.array([-10.0, 0.0])
    risk.plot(ends, slope * ends - 0.8, ":", color=GRAY, lw=1.2, label="proportional")
    risk.set(
        xlabel=r"non-optimal probability $\log_{10} q_{\max}$",
        ylabel=r"risk $\log_{10}|\mathcal{L}(p) - \mathcal{L}^\star|$", xlim=(-10, 0.5), ylim=(-12, 1),
    )  # fmt: skip
    _draw_margin(margin, runs[labels])
    legend(figure, [risk, margin], place="below", columns=3)
    return figure


def _draw_margin(axes: Axes, run: Run) -> None:
    mixing, margin = run.series["largest_mixing"][1:].ravel(), run.series["label_margin"][1:].ravel()
    lengths = np.linalg.norm(run.problem.tokens[0], axis=-1)
    shrinkage = 1 - lengths[:, 1:].max()
    axes.plot(mixing, margin, "o", color=GREEN, ls="", ms=2, label=r"label margin $\Gamma_p$ at 432 prompts")
    ends = np.array([0.0, 1.0])
    axes.plot(
        ends,
        1 - shrinkage * ends,
        "--",
        color=GRAY,
        label=rf"$\Gamma - \nu\,\max_i(1 - s_{{i1}})$, $\nu = {shrinkage:.2g}$",
    )
    axes.set(
        xlabel=r"largest mixing $\max_i(1 - s_{i1})$",
        ylabel=r"label margin $\Gamma_p$",
        xlim=(0, 1),
        ylim=(-0.02, 1.25),
    )
