"""Extension: negative score gaps as in Fig 9 after 1000 and 5000 steps, and the SVM solution that p is closer to."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from attention_dynamics.papers.max_margin.selection_panels import last
from attention_dynamics.plots.style import BLUE, FAINT, GRAY, GREEN, PURPLE, legend, panels
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.types import ReferenceName, RunNames

DIMENSION_COLORS = {2: PURPLE, 5: BLUE}


def draw(runs: dict[str, Run], *, shown: RunNames, strict: ReferenceName, tied: ReferenceName) -> Figure:
    """Draw the distribution of gaps and the norms of p at the end of two runs, and 1 - cosine of p with two references.

    The cosines are those at the end of the first run, for the problems with a negative gap.
    shown: the two runs, on the same problems; the first has fewer steps. strict: reference that solves ATT-SVM.
    tied: reference that solves ATT-SVM', in which neighbors that score more than the selected token count as optimal.
    """
    figure, (sizes, norms, distances) = panels(3, height=2.0)
    shorter, longer = (runs[name] for name in shown)
    for run, dashes in ((shorter, "-"), (longer, "--")):
        _draw_sizes(sizes, run, dashes)
    sizes.axvline(0, color=GRAY, ls=":", lw=0.8)
    sizes.set(
        xlabel=r"gap $\Gamma^{\min}$",
        ylabel="cumulative share\nof saturated trials",
        xlim=(-0.6, 0.05),
        ylim=(0, 0.085),
    )
    _draw_norms(norms, shorter, longer)
    _draw_distances(distances, shorter, strict, tied)
    handles = [Line2D([], [], color=color, label=f"$d = {d}$") for d, color in DIMENSION_COLORS.items()]
    handles += [
        Line2D([], [], color=GRAY, ls=dashes, label=f"{run.steps[-1]} steps")
        for run, dashes in ((shorter, "-"), (longer, "--"))
    ]
    legend(figure, [*handles, *norms.get_legend_handles_labels()[0]], columns=4)
    return figure


def _negative(run: Run) -> Array:
    """Return a mask, (problems,), of the problems that have a negative gap at the end."""
    flags: Array = last(run, "negative_gap") == 1
    return flags


def _draw_sizes(axes: Axes, run: Run, dashes: str) -> None:
    for d, color in DIMENSION_COLORS.items():
        gaps = last(run, "score_gap")[run.problem.settings["d"] == d]
        gaps = np.sort(gaps[np.isfinite(gaps)])
        axes.step(gaps, np.arange(1, len(gaps) + 1) / max(len(gaps), 1), dashes, where="post", color=color)


def _draw_norms(axes: Axes, shorter: Run, longer: Run) -> None:
    sizes = [last(run, "norm_p") for run in (shorter, longer)]
    groups = (
        (last(shorter, "locally_optimal") == 1, FAINT, ".", 2, "b: locally optimal tokens"),
        (_negative(shorter), GREEN, "x", 3.5, "negative gap (c: color by $d$)"),
    )
    for chosen, color, marker, size, label in groups:
        axes.plot(sizes[0][chosen], sizes[1][chosen], marker, color=color, ms=size, ls="", label=label)
    ends = np.array([20.0, 1200.0])
    axes.loglog(ends, ends, ":", color=GRAY, lw=0.8)
    axes.text(400, 330, "equal", color=GRAY, ha="left", va="top")
    axes.set(xlabel=rf"$\|p\|$ after {shorter.steps[-1]} steps", ylabel=rf"$\|p\|$ after {longer.steps[-1]} steps")


def _draw_distances(axes: Axes, run: Run, strict: str, tied: str) -> None:
    chosen = _negative(run)
    for d, color in DIMENSION_COLORS.items():
        here = chosen & (run.problem.settings["d"] == d)
        distances = [1 - last(run, f"correlation_{name}")[here] for name in (strict, tied)]
        axes.loglog(*np.clip(distances, 1e-9, None), "x", color=color, ms=3.5)
    ends = np.array([1e-7, 0.2])
    axes.plot(ends, ends, ":", color=GRAY, lw=0.8)
    axes.set(
        xlabel=r"$1 - \cos(p,\, p^{\mathrm{mm}})$, ATT-SVM",
        ylabel="$1 - \\cos(p,\\, p^{\\mathrm{mm}})$,\nATT-SVM$^\\prime$",
    )
