"""Tables of the papers: what their rows are, and how programs and people get to see them."""

import io
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from matplotlib.table import Table

from attention_dynamics.csv_table import csv_table
from attention_dynamics.deep.datasets.labelled import EncodedSentences
from attention_dynamics.deep.optim import MirrorDescent
from attention_dynamics.deep.tasks import StopAt
from attention_dynamics.papers.mirror_descent import table_attention, table_imdb
from attention_dynamics.plots.table_output import mean_and_deviation, plus_minus, to_markdown
from attention_dynamics.run import Run

LABEL = {"title": "A table", "fidelity": "declared", "note": "ours", "scale": "laptop"}


def trained(exponent, size=1, stop_at=None, **series):
    """A run of a classifier: (records, trainings, ...) of each series."""
    training = SimpleNamespace(
        network=SimpleNamespace(depth=size), deep_optimizer=MirrorDescent(exponent=exponent, lr=0.1), stop_at=stop_at
    )
    series = {name: np.array(values)[:, None] for name, values in series.items()}
    return Run(training=training, problem=None, trajectory={"step": np.arange(3)}, series=series)


def cells(figure) -> list[list[str]]:
    (table,) = figure.findobj(Table)
    found = {place: cell.get_text().get_text() for place, cell in table.get_celld().items()}
    rows, columns = (1 + max(place[k] for place in found) for k in (0, 1))
    return [[found[row, column] for column in range(columns)] for row in range(rows)]


def bold_cells(figure) -> set[tuple[int, int]]:
    (table,) = figure.findobj(Table)
    return {place for place, cell in table.get_celld().items() if cell.get_text().get_weight() == "bold"}


def test_cell_shows_mean_and_sample_deviation():
    mean, deviation = mean_and_deviation(np.array([0.8338, 0.8356]))
    assert mean == pytest.approx(0.8347)
    assert deviation == pytest.approx(0.0018 / 2**0.5)
    assert plus_minus(83.466, 0.0912, 2) == "83.47 ± 0.09"
    assert plus_minus(*mean_and_deviation(np.array([2.0])), 1) == "2.0"
    assert plus_minus(np.nan, np.nan, 2) == ""


def test_csv_has_all_digits_and_markdown_has_caption():
    table = pd.DataFrame({"name": ["a|b", "c"], "number": [1 / 3, np.nan]})
    read = pd.read_csv(io.StringIO(csv_table(table)))
    pd.testing.assert_frame_equal(read, table, check_exact=True)
    page = to_markdown(table.assign(number=["0.33", ""]), LABEL)
    assert page == (
        "# A table\n\ndeclared · ours · laptop scale\n\n| name | number |\n|---|---|\n| a\\|b | 0.33 |\n| c |  |\n"
    )
    assert "declared · laptop scale" in to_markdown(table.assign(number=""), LABEL | {"note": ""})
    links = to_markdown(table.assign(number=""), LABEL | {"title": "[a](b:c)<script>", "note": "![a](b:c)"})
    assert not re.search(r"\]\(|<s", links)


def test_accuracy_table_has_row_per_run():
    runs = {
        "second": trained(2, test_accuracy=[[0.5, 0.5], [0.9, 0.6], [0.7, 0.8]]),
        "first": trained(1.1, test_accuracy=[[0.5], [0.6], [0.65]]),
    }
    table = table_imdb.tabulate(runs)
    assert table["exponent"].tolist() == [1.1, 2]
    assert table["seeds"].tolist() == [1, 2]
    # Every seed has a best epoch of its own.
    np.testing.assert_allclose(table["best_accuracy_mean"], [0.65, 0.85])
    np.testing.assert_allclose(table["best_accuracy_deviation"], [np.nan, 0.1 / 2**0.5])
    np.testing.assert_allclose(table["last_accuracy_mean"], [0.65, 0.75])
    assert not table.filter(like="epochs").size
    shown = table_imdb.readable(table)
    assert shown.columns.tolist() == ["quantity", r"$\ell_{1.1}$-MD", "GD"]
    assert shown.to_numpy().tolist()[:3] == [
        ["ours, size 1, best (%)", "65.00", "85.00 ± 7.07"],
        ["ours, size 1, last (%)", "65.00", "75.00 ± 7.07"],
        # Exponents of the table, in the order of the authors' notebook.
        ["published, size 3, best (%)", "83.47 ± 0.09", "81.66 ± 0.09"],
    ]


def test_accuracy_in_bold_type_leads_by_more_than_the_deviations():
    accuracy = {1.1: [0.80, 0.82], 2: [0.70, 0.74], 3: [0.79, 0.80]}
    runs = {str(p): trained(p, test_accuracy=[[0.5, 0.5], [0.6, 0.6], last]) for p, last in accuracy.items()}
    published = {(row, 1) for row in range(3, 9)}
    # The lead over the third exponent, 0.015, is larger than the deviations 0.014 and 0.007.
    assert bold_cells(table_imdb.draw(runs)) == published | {(1, 1), (2, 1)}
    runs["3"] = trained(3, test_accuracy=[[0.5, 0.5], [0.6, 0.6], [0.79, 0.81]])
    assert bold_cells(table_imdb.draw(runs)) == published


def test_accuracy_table_has_columns_for_sizes_and_epochs():
    stop = StopAt(train_accuracy=0.995)
    accuracy, epochs = [[0.5, 0.5], [0.8, 0.8], [0.8, 0.7]], [[0, 0], [1, 1], [1, 2]]
    learned = {"test_accuracy": accuracy, "epochs_trained": epochs, "train_accuracy": [[0, 0]] * 2 + [[1, 0.9]]}
    sizes = ((4, 1.1), (3, 2), (3, 1.1))
    runs = {f"{exponent}_{size}": trained(exponent, size, stop, **learned) for size, exponent in sizes}
    table = table_imdb.tabulate(runs)
    assert table[["size", "exponent"]].to_numpy().tolist() == [[3, 1.1], [3, 2], [4, 1.1]]
    assert table["epochs_mean"].tolist() == [1.5] * 3
    head, *rows = cells(table_imdb.draw(runs))
    assert head == ["quantity", r"$\ell_{1.1}$-MD", "GD"]
    quantities = [
        f"ours, size {size}, {what}" for size in (3, 4) for what in ("best (%)", "last (%)", "epochs", "reached")
    ]
    assert [row[0] for row in rows[:8]] == quantities
    assert [row[1] for row in rows[:8]] == ["80.00 ± 0.00", "75.00 ± 7.07", "1.5 ± 0.7", "1 of 2"] * 2
    assert [row[2] for row in rows[:8]] == [row[1] for row in rows[:4]] + [""] * 4
    assert rows[10] == ["published, size 3, epochs", "72.1 ± 2.9", "79.9 ± 2.7"]


def selecting(scores) -> dict[str, Run]:
    """Runs of two optimizers on three sentences; scores: exponent -> (seeds, sentences) at the end."""
    sentences = EncodedSentences(
        texts=np.array(["A dull film", "A great film", "Great"]), tokens=np.array([[2, 3, 4], [2, 3, 5], [2, 5, 0]]),
        designated=np.array([2, 2, 1]), labels=np.array([0, 1, 1]), listed=np.array(5),
    )  # fmt: skip
    words = np.array(["[PAD]", "[UNK]", "[CLS]", "a", "dull", "great"])
    problem = SimpleNamespace(sentences=sentences, words=words, classes=np.array(["negative", "positive"]))
    runs = {}
    for exponent, last in scores.items():
        run = trained(exponent, designated_attention=[np.zeros_like(last)] * 2 + [last])
        runs[str(exponent)] = replace(run, problem=problem)
    return runs


def test_attention_table_has_row_per_sentence_and_mean():
    runs = selecting({2: np.array([[0.25, 0.5, 0.1], [0.75, 0.5, 0.1]]), 1.1: np.array([[1.0, 0.504, 0.0]])})
    table = table_attention.tabulate(runs)
    assert table["number"].tolist() == ["1", "2", "3", "mean"]
    assert table["optimal_token"].tolist() == ["dull", "great", "great", ""]
    assert table["label"].tolist() == ["negative", "positive", "positive", ""]
    np.testing.assert_allclose(table["attention_1.1"], [1, 0.504, 0, 1.504 / 3])
    np.testing.assert_allclose(table["attention_2"], [0.5, 0.5, 0.1, 1.1 / 3])
    # Two seeds, one seed, and three sentences.
    np.testing.assert_allclose(table["error_2"], [0.25, 0, 0, np.std([0.5, 0.5, 0.1], ddof=1) / 3**0.5], atol=1e-12)
    assert table["error_1.1"].isna().tolist() == [True, True, True, False]
    # What two digits do not tell apart is equal.
    assert table["better"].tolist() == ["1.1", "=", "2", "1.1"]
    shown = table_attention.readable(table)
    assert list(shown.columns) == ["No.", "sentence", "label", "optimal token", r"$\ell_{1.1}$-MD", "GD"]
    rows = shown.to_numpy().tolist()
    assert rows[0] == ["1", "A dull film", "negative", "dull", "1.00", "0.50 ± 0.25"]
    assert rows[3] == ["mean", "3 of 5 listed sentences", "", "", "0.50 ± 0.29", "0.37 ± 0.13"]
    assert rows[4] == ["mean", "published, other sentences", "", "", "0.44", "0.31"]


def test_picture_of_attention_sorts_sentences_by_difference():
    runs = selecting({2: np.array([[0.25, 0.5, 0.1], [0.75, 0.5, 0.1]]), 1.1: np.array([[1.0, 0.6, 0.0]])})
    (axes,) = table_attention.draw(runs).axes
    texts = [label.get_text() for label in axes.get_yticklabels()]
    # Mirror descent has 0.5 and 0.1 more in the first two, 0.1 less in the third.
    assert [text.rsplit(" (", 1)[0] for text in texts[:-1]] == ["A dull film", "A great film", "Great"]
    assert texts[-1] == "mean of 3 sentences"
    (means,) = [line for line in axes.lines if line.get_label() == "GD"]
    np.testing.assert_allclose(means.get_xdata(), [0.5, 0.5, 0.1])
