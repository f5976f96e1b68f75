"""How much of a classifier's attention is on the word that tells the class of a short sentence (Mirror descent 4.2)."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from attention_dynamics.plots.mirror_descent.network_runs import optimizer_name
from attention_dynamics.plots.tables import draw_table
from attention_dynamics.run import Run

COLUMN = "attention_"
DIGITS = 2


def draw(runs: dict[str, Run]) -> Figure:
    """The readable table, scores shaded."""
    table = tabulate(runs)
    shades = {optimizer_name(exponent): table[f"{COLUMN}{exponent:g}"].to_numpy() for exponent in _exponents(table)}
    return draw_table(readable(table), shades, summary=1)


def tabulate(runs: dict[str, Run]) -> pd.DataFrame:
    """A row for every sentence, and one for the mean over them, with the scores at the end of two or more runs.

    Scores are means over the seeds, from 0 to 1 within a sentence (``measures.sentences``). better: the exponent with
    the largest one, or "=" where two digits do not tell.
    """
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


def readable(table: pd.DataFrame) -> pd.DataFrame:
    """The same with scores of two digits."""
    shown = table[["number", "sentence", "label", "optimal_token"]]
    shown = shown.set_axis(["No.", "sentence", "label", "optimal token"], axis=1)
    for exponent in _exponents(table):
        shown[optimizer_name(exponent)] = table[f"{COLUMN}{exponent:g}"].map(f"{{:.{DIGITS}f}}".format)
    return shown.assign(**{"better selector": table["better"]})


def _exponents(table: pd.DataFrame) -> list[float]:
    return [float(name.removeprefix(COLUMN)) for name in table.filter(like=COLUMN)]


def _better(scores: pd.Series) -> str:
    rounded = scores.round(DIGITS)
    return "=" if (rounded == rounded.max()).sum() > 1 else rounded.idxmax().removeprefix(COLUMN)
