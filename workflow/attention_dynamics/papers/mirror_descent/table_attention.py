"""Attention of a classifier on the word that tells the class of a short sentence."""

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from attention_dynamics.papers.mirror_descent.optimizer_styles import optimizer_name
from attention_dynamics.run import Run
from attention_dynamics.series.published import published

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

COLUMN, ERROR = "attention_", "error_"
DIGITS = 2


def draw(runs: dict[str, Run]) -> Figure:
    """Draw the readable table, its scores shaded."""
    from attention_dynamics.plots.tables import draw_table

    table = tabulate(runs)
    shown, exponents = readable(table), _exponents(table)
    scores = _with_published(table)
    shades = {optimizer_name(exponent): scores[f"{COLUMN}{exponent:g}"].to_numpy() for exponent in exponents}
    # Bold type says which one is clearly better.
    winners = {(row, optimizer_name(p)) for row in table.index if (p := _clear_winner(table.loc[row], exponents))}
    shown["label"] = shown["label"].where(shown["label"] != shown["label"].shift(), "")
    return draw_table(shown.drop(columns="better selector"), shades, winners=winners, summary=2)


def tabulate(runs: dict[str, Run]) -> "pd.DataFrame":
    """Return a row for every sentence, and one for the mean over them, with the scores at the end of two or more runs.

    Scores are means over the seeds, from 0 to 1 within a sentence (``measures.sentences``). error: standard error of
    the score over the seeds, of the mean over the sentences. better: the exponent with the largest one, or "=" where
    they agree to two digits.
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
    """Return the same with scores of two digits and their standard errors, and with the published means below."""
    from attention_dynamics.plots.table_output import plus_minus

    table = _with_published(table)
    cells = table[["number", "sentence", "label", "optimal_token"]]
    cells = cells.set_axis(["No.", "sentence", "label", "optimal token"], axis=1)
    for exponent in _exponents(table):
        pairs = table[[f"{COLUMN}{exponent:g}", f"{ERROR}{exponent:g}"]].to_numpy()
        cells[optimizer_name(exponent)] = [plus_minus(score, error, DIGITS) for score, error in pairs]
    return cells.assign(**{"better selector": table["better"]})


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
    """Return the sample deviation over the root of the number of values; NaN for a single one."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else np.nan


def _clear_winner(row: "pd.Series", exponents: list[float]) -> float | None:
    """Return the exponent with the largest score, if it exceeds each other by more than both errors together."""
    scores, errors = (np.array([row[f"{name}{p:g}"] for p in exponents], dtype=float) for name in (COLUMN, ERROR))
    best = int(scores.argmax())
    others = np.arange(len(exponents)) != best
    clear = (scores[best] - scores[others] > errors[best] + errors[others]).all()
    return exponents[best] if clear else None


def _exponents(table: "pd.DataFrame") -> list[float]:
    return [float(name.removeprefix(COLUMN)) for name in table.filter(like=COLUMN)]


def _better(scores: "pd.Series") -> str:
    rounded = scores.round(DIGITS)
    return "=" if (rounded == rounded.max()).sum() > 1 else rounded.idxmax().removeprefix(COLUMN)
