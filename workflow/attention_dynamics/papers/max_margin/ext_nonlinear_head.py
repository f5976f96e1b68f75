"""Extension: regularization paths of nonlinear heads (Theorem 8), and the cost of mixing (Assumptions C and D)."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_dynamics.papers.max_margin.tied_tokens import draw_tokens
from attention_dynamics.plots import planar
from attention_dynamics.plots.style import BLUE, GRAY, GREEN, GRID, INK, ORANGE, PURPLE, SMALL_FONT_SIZE, legend, panels
from attention_dynamics.run import Run
from attention_dynamics.theory.linear_mixing import risk_bounds
from attention_dynamics.types import Interval, ReferencePair, RunName

NAMES = {
    "tied_path": (INK, "o-", "linear head"),
    "nonlinear": (PURPLE, "s-", "nonlinear head"),
    "mixing_pays": (BLUE, "^-", "nonlinear head, mixing pays"),
    "rays_linear": (INK, "o", "Assumption D, linear head"),
    "rays_nonlinear": (PURPLE, "s", "Assumption D, nonlinear head"),
    "rays_mixing_pays": (BLUE, "^", "mixing pays: Assumption D fails"),
}
# Limits of q_max and of the risk in all panels.
NONOPTIMAL_LIMITS, RISK_LIMITS = (3e-10, 3), (1e-11, 10)


def draw(
    runs: dict[str, Run], *, solutions: ReferencePair, xlim: Interval = (-4.5, 5.5), ylim: Interval = (-3, 7)
) -> Figure:
    """Draw the paths in the plane, and their distance from the solutions of ATT-SVM' against R."""
    figure, (plane, distance) = panels(2, height=2.75)
    first = next(iter(runs.values()))
    for name, run in runs.items():
        color, style, label = NAMES[name]
        path = run.trajectory["p"][1:, 0, 0, :2]
        plane.plot(*path.T, style, color=color, ms=2.5, lw=0.9, label=label, zorder=5)
        series = run.series["solution_distance"][1:, 0, 0].clip(1e-12)
        distance.loglog(run.steps[1:], series, style, color=color, ms=2.5, lw=0.9)
    planar.plane(plane, xlim, ylim)
    for name in solutions:
        planar.ray(plane, first.references[name]["direction"][0], GRAY, r"solution $p^{\mathrm{mm}}$ of ATT-SVM'")
    tokens = draw_tokens(plane, first)
    distance.set(
        xlabel="bound $R$ on the norm", ylabel=r"distance of $\bar{p}(R)\,\|p^{\mathrm{mm}}\| / R$ from solutions"
    )
    heads, labels = plane.get_legend_handles_labels()
    named = dict(zip(labels, heads, strict=True)).values()
    legend(figure, [*named, *tokens], place="below", columns=3)
    return figure


def draw_mixing(runs: dict[str, Run], *, labels: RunName, linear: RunName) -> Figure:
    """Draw L(p) - L* against q_max, a panel per head, and the label margin against mixing for the run ``labels``.

    linear: the run with the linear head, with the bounds of Lemma 14.
    """
    figure, grid = panels(2, 2, height=1.75)
    *risks, margin = grid.flat
    heads = {name: run for name, run in runs.items() if name != labels}
    for axes, (name, run) in zip(risks, heads.items(), strict=True):
        _draw_risk(axes, run, *NAMES[name])
    _draw_bounds(risks[list(heads).index(linear)], runs[linear])
    _draw_margin(margin, runs[labels])
    return figure


def _draw_risk(axes: Axes, run: Run, color: str, marker: str, name: str) -> None:
    q, excess, sign = (run.series[s][1:].ravel() for s in ("log_nonoptimal", "log_excess", "excess_sign"))
    for kept, shade, shape, side in ((sign > 0, color, marker, ">"), (sign < 0, ORANGE, "v", "<")):
        if kept.any():
            label = rf"$\mathcal{{L}}(p) {side} \mathcal{{L}}^\star$"
            axes.loglog(np.exp(q[kept]), np.exp(excess[kept]), shape, color=shade, ms=1.8, mew=0, label=label)
    difference = r"\mathcal{L}(p) - \mathcal{L}^\star"
    if (sign < 0).any():
        axes.legend(loc="lower right", markerscale=2)
        difference = rf"|{difference}|"
    axes.set(
        title=name, xlabel=r"non-optimal probability $q_{\max}$", xlim=NONOPTIMAL_LIMITS, ylim=RISK_LIMITS,
        ylabel=f"difference ${difference}$",
    )  # fmt: skip


def _draw_bounds(axes: Axes, run: Run) -> None:
    ends = np.array(NONOPTIMAL_LIMITS)
    for factor, name in zip(risk_bounds(run.problem.scores()[0]), ("lower", "upper"), strict=True):
        axes.loglog(ends, factor * ends, "--", color=GRAY, lw=0.8, zorder=1, label=f"{name} bound of Lemma 14")
    axes.text(0.97, 0.05, r"dashed: bounds $\propto q_{\max}$ (Lemma 14)", transform=axes.transAxes, ha="right",
              fontsize=SMALL_FONT_SIZE)  # fmt: skip


def _draw_margin(axes: Axes, run: Run) -> None:
    """Draw the label margins, and shade what Assumption C excludes."""
    mixing, margin = run.series["largest_mixing"][1:].ravel(), run.series["label_margin"][1:].ravel()
    lengths = np.linalg.norm(run.problem.tokens[0], axis=-1)
    shrinkage = 1 - lengths[:, 1:].max()
    ends = np.array([0.0, 1.0])
    axes.fill_between(ends, 1 - shrinkage * ends, 1.25, color=GRID, lw=0)
    axes.plot(ends, 1 - shrinkage * ends, "--", color=GRAY, lw=0.8, label="bound of Assumption C")
    axes.plot(mixing, margin, "o", color=GREEN, ms=1.8, clip_on=False, label="label margin")
    text = rf"excluded: above $\Gamma - \nu\,\max_i(1 - s_{{i1}})$, $\nu = {shrinkage:.2g}$"
    axes.text(0.98, 1.1, text, ha="right", fontsize=SMALL_FONT_SIZE)
    axes.set(
        title=f"Assumption C, {margin.size} prompts", xlabel=r"largest mixing $\max_i(1 - s_{i1})$",
        ylabel=r"label margin $\Gamma_p$", xlim=(0, 1), ylim=(0, 1.25),
    )  # fmt: skip
