"""Attention of a classifier on the word that tells the class of a short sentence."""

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from attention_dynamics.papers.mirror_descent.optimizer_styles import exponent_of, optimizer_name, style
from attention_dynamics.plots.style import FAINT, FULL_WIDTH, GRID, PUBLISHED, legend, panels
from attention_dynamics.run import Run
from attention_dynamics.series.published import published

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

COLUMN, ERROR = "attention_", "error_"
DIGITS = 2
# Height, in inches, of a row of the figure. Each sentence has a row.
LINE_HEIGHT_IN = 0.125


def draw(runs: dict[str, Run]) -> Figure:
    """Draw the attention on the optimal token, a row for each sentence and a last row for the means over sentences.

    The last row has the published means, too. Sentences are sorted by the mean over the seeds under the largest
    exponent minus that under the smallest.
    """
    problem, ordered = next(iter(runs.values())).problem, sorted(runs.values(), key=exponent_of)
    sentences = problem.sentences
    words = problem.words[sentences.tokens[np.arange(len(sentences.texts)), sentences.designated]]
    scores = [run.series["designated_attention"][-1, 0] for run in ordered]
    order = np.argsort(scores[-1].mean(0) - scores[0].mean(0))
    figure, axes = panels(height=LINE_HEIGHT_IN * (len(order) + 4), width=FULL_WIDTH)
    places, last = np.arange(len(order)), len(order) + 1
    for run, values in zip(ordered, scores, strict=True):
        name, color, _ = style(run)
        axes.plot(values[:, order].T, places, "o", color=color, ms=2.4, mec="none", alpha=0.7)
        axes.plot(values.mean(0)[order], places, "o", color=color, ms=4, label=name)
        axes.plot(values.mean(), last, "o", color=color, ms=5)
    numbers = published(__file__, "table_attention")
    known = dict(zip(numbers["exponent"], numbers["attention"], strict=True))
    for run in ordered:
        axes.plot(known[exponent_of(run)], last, **(PUBLISHED | {"color": style(run)[1]}))
    axes.hlines([*places, last], 0, 1, color=GRID, lw=0.5, zorder=0)
    axes.axhline(len(order), color=FAINT, lw=0.6)
    texts = [f"{sentences.texts[k]} ({words[k]})" for k in order]
    axes.set_yticks([*places, last], [*texts, f"mean of {len(order)} sentences"])
    axes.set(ylim=(last + 0.8, -0.8), xlim=(-0.02, 1.02), xlabel="attention on the optimal token, in parentheses")
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)
    handles = axes.get_legend_handles_labels()[0]
    handles.append(Line2D([], [], **PUBLISHED, label="published mean, of other sentences"))
    legend(figure, handles, title=f"mean and each of {len(scores[0])} seeds")
    return figure


def tabulate(runs: dict[str, Run]) -> "pd.DataFrame":
    """Return a table with a row for every sentence and a last row for the mean over the sentences.

    attention_<p>: score of the run with exponent p: its attention on the optimal token at the end, scaled from 0 to 1
    within a sentence (``measures.sentences``), mean over the seeds. error_<p>: standard error of the score, over the
    seeds, and in the last row over the sentences. better: the exponent with the largest score, or "=" if several
    exponents have this score after rounding to two digits.
    """
    import pandas as pd

    problem = next(iter(runs.values())).problem
    sentences = problem.sentences
    count, words = len(sentences.texts), sentences.tokens[np.arange(len(sentences.texts)), sentences.designated]
    table = pd.DataFrame(
        {
            "number": [str(k + 1) for k in range(count)],
            "sentence": sentences.texts,
            "label": problem.classes[sentences.labels],
            "optimal_token": problem.words[words],
        }
    )
    by_exponent = {run.training.deep_optimizer.exponent: run for run in runs.values()}
    for exponent, run in sorted(by_exponent.items()):
        scores = run.series["designated_attention"][-1, 0]
        table[f"{COLUMN}{exponent:g}"] = scores.mean(0)
        table[f"{ERROR}{exponent:g}"] = [_standard_error(of_seeds) for of_seeds in scores.T]
    means = table.filter(like=COLUMN).mean().to_dict()
    errors = {f"{ERROR}{p:g}": _standard_error(table[f"{COLUMN}{p:g}"].to_numpy()) for p in sorted(by_exponent)}
    of_listed = f"{count} of {sentences.listed} listed sentences"
    table.loc[count] = {"number": "mean", "sentence": of_listed, **means, **errors}
    table["better"] = [_better(row) for _, row in table.filter(like=COLUMN).iterrows()]
    return table.fillna({"label": "", "optimal_token": ""})


def readable(table: "pd.DataFrame") -> "pd.DataFrame":
    """Return the table as texts: rounded scores with standard errors, and a last row with the published means."""
    from attention_dynamics.plots.table_output import plus_minus

    table = _with_published(table)
    cells = table[["number", "sentence", "label", "optimal_token"]]
    cells = cells.set_axis(["No.", "sentence", "label", "optimal token"], axis=1)
    for exponent in _exponents(table):
        pairs = table[[f"{COLUMN}{exponent:g}", f"{ERROR}{exponent:g}"]].to_numpy()
        cells[optimizer_name(exponent)] = [plus_minus(score, error, DIGITS) for score, error in pairs]
    return cells


def _with_published(table: "pd.DataFrame") -> "pd.DataFrame":
    """Return the table with a row for the published means, which have no errors."""
    import pandas as pd

    numbers = published(__file__, "table_attention")
    means = {f"{COLUMN}{p:g}": score for p, score in zip(numbers["exponent"], numbers["attention"], strict=True)}
    row = pd.Series(means).reindex(table.filter(like=COLUMN).columns)
    of_others = {"number": "mean", "sentence": "published, other sentences", "label": "", "optimal_token": ""}
    table = table.copy()
    table.loc[len(table)] = {**of_others, **row, "better": _better(row)}
    return table


def _standard_error(values: "NDArray[np.float64]") -> float:
    """Return the standard error of the mean: sample deviation / sqrt(number of values); NaN for a single value."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else np.nan


def _exponents(table: "pd.DataFrame") -> list[float]:
    return [float(name.removeprefix(COLUMN)) for name in table.filter(like=COLUMN)]


def _better(scores: "pd.Series") -> str:
    rounded = scores.round(DIGITS)
    return "=" if (rounded == rounded.max()).sum() > 1 else rounded.idxmax().removeprefix(COLUMN)
