"""Attention of a classifier on the word that tells the class of a short sentence."""

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from attention_dynamics.papers.mirror_descent.optimizer_styles import optimizer_name
from attention_dynamics.run import Run

if TYPE_CHECKING:
    import pandas as pd

COLUMN = "attention_"
DIGITS = 2


def draw(runs: dict[str, Run]) -> Figure:
    """Draw the readable table, its scores shaded."""
    from attention_dynamics.plots.tables import draw_table

    table = tabulate(runs)
    shown, exponents = readable(table), _exponents(table)
    shades = {optimizer_name(exponent): table[f"{COLUMN}{exponent:g}"].to_numpy() for exponent in exponents}
    # Bold type says which one is better.
    winners = {(row, optimizer_name(p)) for p in exponents for row in table.index[table["better"] == f"{p:g}"]}
    shown["label"] = shown["label"].where(shown["label"] != shown["label"].shift(), "")
    return draw_table(shown.drop(columns="better selector"), shades, winners=winners, summary=1)


def tabulate(runs: dict[str, Run]) -> "pd.DataFrame":
    """Return a row for every sentence, and one for the mean over them, with the scores at the end of two or more runs.

    Scores are means over the seeds, from 0 to 1 within a sentence (``measures.sentences``). better: the exponent with
    the largest one, or "=" where they agree to two digits.
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
        table[f"{COLUMN}{exponent:g}"] = run.series["designated_attention"][-1, 0].mean(0)
    means = table.filter(like=COLUMN).mean().to_dict()
    table.loc[count] = {"number": "mean", "sentence": f"{count} of {sentences.listed} listed sentences", **means}
    table["better"] = [_better(row) for _, row in table.filter(like=COLUMN).iterrows()]
    return table.fillna({"label": "", "optimal_token": ""})


def readable(table: "pd.DataFrame") -> "pd.DataFrame":
    """Return the same with scores of two digits."""
    cells = table[["number", "sentence", "label", "optimal_token"]]
    cells = cells.set_axis(["No.", "sentence", "label", "optimal token"], axis=1)
    for exponent in _exponents(table):
        cells[optimizer_name(exponent)] = table[f"{COLUMN}{exponent:g}"].map(f"{{:.{DIGITS}f}}".format)
    return cells.assign(**{"better selector": table["better"]})


def _exponents(table: "pd.DataFrame") -> list[float]:
    return [float(name.removeprefix(COLUMN)) for name in table.filter(like=COLUMN)]


def _better(scores: "pd.Series") -> str:
    rounded = scores.round(DIGITS)
    return "=" if (rounded == rounded.max()).sum() > 1 else rounded.idxmax().removeprefix(COLUMN)
