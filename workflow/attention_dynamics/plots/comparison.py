"""Figure of a comparison of optimizers: problems solved against steps, and performance profiles."""

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from attention_dynamics.comparison.entry import BOX, TUNED_VALUES
from attention_dynamics.comparison.profiles import performance_ratios, share_within
from attention_dynamics.comparison.report import TUNED, Row, costs
from attention_dynamics.comparison.starts import START_NORM
from attention_dynamics.comparison.table import LARGEST_RATIO
from attention_dynamics.plots.style import (
    BLUE,
    GRAY,
    GREEN,
    INK,
    ORANGE,
    PURPLE,
    SKY,
    exponent_color,
    legend,
    optimizer_style,
    panels,
)

# Style and width of the line of the optimizer that a comparison highlights; no other line has them.
OWN_STYLE, OWN_WIDTH = (INK, "-"), 2.0
# Colors of optimizers for which ``style`` has no color. When the colors repeat, the dashes change.
OTHER_COLORS = (INK, GRAY, ORANGE, BLUE, GREEN, PURPLE)
OTHER_STYLES = ((GRAY, "-"), *((color, dashes) for dashes in (":", "-.", "--") for color in OTHER_COLORS))


def draw(rows: Sequence[Row], spec: Mapping[str, Any]) -> Figure:
    """Draw the share of problems that a tuned optimizer solves within t steps, and within tau times the fewest steps.

    spec: mapping with the keys figure ("all", or the optimizer to highlight), steps (number of steps of a run),
    tuning (number of tuning seeds) and exponents (optimizer -> p, for mirror descent).
    """
    _, optimizers, table = costs(rows, TUNED)
    figure, (budget, profile) = panels(2, height=2.3, sharey=True)
    styles = _styles(optimizers, spec)
    ratios = performance_ratios(table)
    for k, name in enumerate(optimizers):
        for axes, values, left, right in (
            (budget, table, 1.0, float(spec["steps"])), (profile, ratios, 1.0, LARGEST_RATIO),
        ):  # fmt: skip
            jumps = np.unique(np.clip(values[np.isfinite(values[:, k]), k], left, right))
            places = np.unique([left, *jumps, right])
            shares = share_within(np.clip(values, left, None), places)[:, k]
            color, line, label = styles[name]
            own = {"lw": OWN_WIDTH, "zorder": 3} if name == spec["figure"] else {}
            axes.step(places, shares, where="post", color=color, ls=line, label=label, **own)
    budget.set(xscale="log", xlim=(1, spec["steps"]), ylim=(-0.02, 1.02))
    budget.set(xlabel="steps to cosine 0.99, $t$", ylabel="share of problems solved")
    profile.set(xscale="log", xlim=(1, LARGEST_RATIO), xlabel=r"steps over those of the best, $\tau$")
    profile.set_xticks([1, 2, 4, 8, 16], ["1", "2", "4", "8", "16"], minor=False)
    profile.minorticks_off()
    rule = f"best of {TUNED_VALUES} step sizes on {spec['tuning']} tuning seeds, shown on the other seeds"
    legend(figure, [budget], title=rule)
    return figure


def _styles(optimizers: Sequence[str], spec: Mapping[str, Any]) -> dict[str, tuple[str, str, str]]:
    """Return a dict: name of an optimizer -> its color, line style and label. spec: see ``draw``."""
    styles, exponents, others = {}, spec["exponents"], cycle(OTHER_STYLES)
    for name in optimizers:
        label, color = optimizer_style(name)
        if name in exponents:
            styles[name] = (exponent_color(exponents[name]), "--", f"mirror descent, $p = {exponents[name]:g}$")
        elif name == "nesterov":
            styles[name] = (SKY, "--", "Nesterov")
        elif color == INK:
            styles[name] = (*next(others), label)
        else:
            styles[name] = (color, "-", label)
    if (own := spec["figure"]) in styles:
        styles[own] = (*OWN_STYLE, styles[own][2])
    return styles


def label(rows: Sequence[Row], spec: Mapping[str, Any]) -> dict[str, str]:
    """Return a dict with the texts of the figure and of its table; the text "note" states the tuning rule.

    spec: see ``pipeline.comparison.ComparisonJobs._comparison``.
    """
    problems, optimizers, table = costs(rows, TUNED)
    name = spec["figure"]
    solved = dict(zip(optimizers, np.isfinite(table).sum(0).tolist(), strict=True))
    labels = {one: text for one, (_, _, text) in _styles(optimizers, spec).items()}
    named = [name] if name in solved else [one for one in optimizers if solved[one] == max(solved.values())]
    # Joined by "and" only, because labels may contain commas.
    what = " and ".join(labels[one] for one in named)
    verb = "finds" if len(named) == 1 else "find"
    boxes = "; ".join(
        f"{optimizer.replace('_', ' ')} [{low:g}, {high:g}]{'' if tuned == 'step_size' else f' of ${tuned}$'}"
        for optimizer, (tuned, low, high) in ((one, spec["boxes"][one] or ("step_size", *BOX)) for one in optimizers)
    )
    return {
        **{key: spec[key] for key in ("paper", "figure", "scale", "fidelity")},
        "title": f"Tuned by one rule, {what} {verb} the max-margin direction on {solved[named[0]]} of {len(problems)} "
        "problems",
        "shows": "a: share of the problems on which the median of the steps to cosine 0.99 is at most $t$; b: share on "
        r"which it is at most $\tau$ times that of the best optimizer (Dolan and Moré); b depends on which optimizers "
        "there are",
        "note": f"tuning rule: {spec['steps']} steps for each; of {TUNED_VALUES} step sizes, evenly spaced on a "
        f"logarithmic axis, the one with the least median of steps to cosine 0.99 on {spec['tuning']} tuning seeds, "
        f"shown on the other seeds; boxes: {boxes}; logistic loss, random starts of norm {START_NORM:g}; the cosine is "
        "that with the SVM of the tokens that a run itself selects, in the norm of its optimizer",
        "data": "",
    }  # fmt: skip
