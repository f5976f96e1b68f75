"""Extension: which tokens gain attention (Theorem 2), which token wins (Section 5), and whether it takes all."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_dynamics.papers.scan_and_snap.rate_styles import styles
from attention_dynamics.plots.style import BLUE, GRAY, INK, ORANGE, label_ends, panels
from attention_dynamics.run import Run
from attention_dynamics.theory.token_dynamics import distinct_tokens
from attention_dynamics.types import RunName


def draw(runs: dict[str, Run], *, single: RunName, unequal: RunName, heads: RunName, decays: RunName) -> Figure:
    """Draw logits of distinct and common tokens, numbers of attention heads that tokens win, and shares of the winner.

    single: a run with one common token. unequal: a run with two common tokens, the second of which is likelier in the
    first class than in the second. heads: a run with many attention heads, that is, with many random initial logits.
    decays: a run with several exponents p of the speed of attention gamma = (1 + t)^-p.
    """
    figure, (logits, winners, shares) = panels(3, height=2.0)
    _draw_logits(logits, runs[single], runs[unequal])
    _draw_winners(winners, runs[heads])
    _draw_shares(shares, runs[decays])
    return figure


def _draw_logits(axes: Axes, run: Run, unequal: Run) -> None:
    """Draw the logits of ``run`` for distinct and for common tokens: median and range over the tokens of all problems.

    A dashed line is the logit of the second common token of ``unequal``, which gains attention.
    """
    kinds: dict[bool, list[np.ndarray]] = {True: [], False: []}
    for problem, P in enumerate(run.problem.probabilities):
        own = distinct_tokens(P).max(0)
        for token in np.flatnonzero(P.max(0)):
            kinds[bool(own[token])].append(run.trajectory["z"][:, problem, 0, 0, token])
    for distinct, color, label in ((True, BLUE, "distinct"), (False, ORANGE, "common, one")):
        z = np.array(kinds[distinct])
        axes.fill_between(run.steps, z.min(0), z.max(0), color=color, alpha=0.2, lw=0)
        axes.plot(run.steps, np.median(z, axis=0), color=color, label=label)
    gains = unequal.trajectory["z"][:, 0, 0, 0, 1]
    axes.plot(unequal.steps, gains, color=ORANGE, ls="--", label="common, one of two")
    axes.axhline(0, color=INK, lw=0.5)
    axes.set(title="Theorem 2", xlabel="time $t$", ylabel="attention logit $z_l$")
    axes.legend(loc="center right", bbox_to_anchor=(1.0, 0.62))


def _draw_winners(axes: Axes, run: Run) -> None:
    """Draw two numbers for each distinct token of the first class, against its probability P(l|n).

    They count the heads in which the token has the most attention of these tokens at the start, and at the end.
    """
    P = run.problem.probabilities[0, 0]
    tokens = np.flatnonzero(distinct_tokens(run.problem.probabilities[0])[0])
    for label, series, marker, size, color in (
        ("leads at the start", "favorite", "o", 6, GRAY),
        ("wins", "winner", "x", 4, BLUE),
    ):
        counts = np.bincount(run.series[series][-1, 0].astype(int), minlength=len(tokens))
        axes.plot(P[tokens], counts, marker, color=color, mfc="none", ms=size, label=label)
    heads = run.series["winner"].shape[-1]
    axes.set(title="initial logits", xlabel=r"probability $\mathbb{P}(l\,|\,n)$", ylabel=f"heads of {heads}")
    axes.set_ylim(bottom=0)
    axes.legend(loc="upper left")


def _draw_shares(axes: Axes, run: Run) -> None:
    """Draw the largest share among distinct tokens of the first class over time, a curve for each exponent p."""
    looks, ends = styles(run.training.decay), []
    for k, p in enumerate(run.training.decay):
        color, values = looks[float(p)]["color"], run.series["top_share"][1:, 0, k]
        axes.plot(run.steps[1:], values, color=color)
        ends.append((float(values[-1]), f"$p = {p:g}$", color))
    axes.set(title=r"speed $\gamma = (1 + t)^{-p}$", xscale="log", xlabel="time $t$", ylim=(0, 1.02),
             ylabel="share of the dominant token", xlim=(run.steps[1], run.steps[-1]))  # fmt: skip
    label_ends(axes, ends)
