"""Extension: regularization paths with nonlinear heads (Theorem 8), and the cost of mixing tokens (Assumption D)."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_dynamics.papers.max_margin.tied_tokens import draw_tokens
from attention_dynamics.plots import planar
from attention_dynamics.plots.style import BLUE, GRAY, INK, ORANGE, PURPLE, SMALL_FONT_SIZE, legend, panels
from attention_dynamics.run import Run
from attention_dynamics.theory.linear_mixing import risk_bounds
from attention_dynamics.types import Interval, ReferencePair, RunName, RunNames

# Color, marker and name of each head, in the order of the settings ``paths`` and ``rays``.
STYLES = ((INK, "o", "linear head"), (PURPLE, "s", "nonlinear head"), (BLUE, "^", "nonlinear head, mixing pays"))
# Limits of the axes of q_max and of |L(p) - L*| in the panels about rays.
NONOPTIMAL_LIMITS, RISK_LIMITS = (3e-10, 3), (1e-11, 10)


def draw(
    runs: dict[str, Run], *, paths: RunNames, rays: RunNames, linear: RunName, solutions: ReferencePair,
    xlim: Interval = (-4.5, 5.5), ylim: Interval = (-3, 7),
) -> Figure:  # fmt: skip
    """Draw paths in the plane, their distance from the solutions of ATT-SVM', and L(p) - L* against q_max along rays.

    L* is the risk of the optimal tokens. q_max is the softmax probability of an input's non-optimal tokens, the largest
    over the inputs.
    paths, rays: a run for each head. The rays of the last head are in the fourth panel, the others in the third.
    linear: the run in ``rays`` with the linear head, for which the bounds of Lemma 14 are drawn. solutions: two
    references that solve ATT-SVM'.
    """
    figure, grid = panels(2, 2, height=2.3)
    plane, distance, together, apart = grid.flat
    first = runs[paths[0]]
    for name, (color, marker, label) in zip(paths, STYLES, strict=True):
        run = runs[name]
        plane.plot(
            *run.trajectory["p"][1:, 0, 0, :2].T, marker + "-", color=color, ms=2.5, lw=0.9, label=label, zorder=5
        )
        series = run.series["solution_distance"][1:, 0, 0].clip(1e-12)
        distance.loglog(run.steps[1:], series, marker + "-", color=color, ms=2.5, lw=0.9)
    planar.plane(plane, xlim, ylim)
    for solution in solutions:
        planar.ray(plane, first.references[solution]["direction"][0], GRAY, r"solution $p^{\mathrm{mm}}$ of ATT-SVM'")
    tokens = draw_tokens(plane, first)
    distance.set(
        xlabel="bound $R$ on the norm", ylabel="distance of $\\bar{p}(R)$ from the\nsolutions, scaled to their norm"
    )
    for name, (color, marker, _), axes in zip(rays, STYLES, (together, together, apart), strict=True):
        _draw_risk(axes, runs[name], color, marker)
    _draw_bounds(together, runs[linear])
    together.set(title="Assumption D holds", ylabel=r"risk difference $\mathcal{L}(p) - \mathcal{L}^\star$")
    apart.set(title="mixing pays: it fails", ylabel=r"$|\mathcal{L}(p) - \mathcal{L}^\star|$")
    apart.legend(loc="lower right", markerscale=2)
    heads, labels = plane.get_legend_handles_labels()
    named = dict(zip(labels, heads, strict=True)).values()
    legend(figure, [*named, *tokens], place="below", columns=3)
    return figure


def _draw_risk(axes: Axes, run: Run, color: str, marker: str) -> None:
    q, excess, sign = (run.series[s][1:].ravel() for s in ("log_nonoptimal", "log_excess", "excess_sign"))
    for kept, shade, shape, side in ((sign > 0, color, marker, ">"), (sign < 0, ORANGE, "v", "<")):
        if kept.any():
            label = rf"$\mathcal{{L}}(p) {side} \mathcal{{L}}^\star$"
            axes.loglog(np.exp(q[kept]), np.exp(excess[kept]), shape, color=shade, ms=1.8, mew=0, label=label)
    axes.set(xlabel=r"non-optimal probability $q_{\max}$", xlim=NONOPTIMAL_LIMITS, ylim=RISK_LIMITS)


def _draw_bounds(axes: Axes, run: Run) -> None:
    ends = np.array(NONOPTIMAL_LIMITS)
    for factor in risk_bounds(run.problem.scores()[0]):
        axes.loglog(ends, factor * ends, "--", color=GRAY, lw=0.8)
    axes.text(0.97, 0.05, "dashed: bounds of Lemma 14,\nlinear head", transform=axes.transAxes, ha="right",
              fontsize=SMALL_FONT_SIZE)  # fmt: skip
