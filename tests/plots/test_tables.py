"""Tables of the papers: what their rows are, and how programs and people get to see them."""

import io
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from matplotlib.table import Table

from attention_dynamics.deep.optim.mirror_descent import MirrorDescent
from attention_dynamics.deep.problems.encoded_texts import EncodedSentences
from attention_dynamics.deep.trainings.deep_training import StopAt
from attention_dynamics.papers.mirror_descent import table_attention, table_imdb
from attention_dynamics.plots.table_output import mean_and_deviation, plus_minus, to_csv, to_markdown
from attention_dynamics.plots.tables import draw_table
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


def test_cell_shows_mean_and_sample_deviation():
    mean, deviation = mean_and_deviation(np.array([0.8338, 0.8356]))
    assert mean == pytest.approx(0.8347)
    assert deviation == pytest.approx(0.0018 / 2**0.5)
    assert plus_minus(83.466, 0.0912, 2) == "83.47 ± 0.09"
    assert plus_minus(*mean_and_deviation(np.array([2.0])), 1) == "2.0"
    assert plus_minus(np.nan, np.nan, 2) == ""


def test_csv_has_all_digits_and_markdown_has_caption():
    table = pd.DataFrame({"name": ["a|b", "c"], "number": [1 / 3, np.nan]})
    read = pd.read_csv(io.StringIO(to_csv(table)))
    pd.testing.assert_frame_equal(read, table, check_exact=True)
    page = to_markdown(table.assign(number=["0.33", ""]), LABEL)
    assert page == (
        "# A table\n\ndeclared · ours · laptop scale\n\n| name | number |\n| --- | --- |\n| a\\|b | 0.33 |\n| c |  |\n"
    )
    assert "declared · laptop scale" in to_markdown(table.assign(number=""), LABEL | {"note": ""})


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
    assert table_imdb.readable(table).to_numpy().tolist() == [
        [r"$\ell_{1.1}$-MD", "65.00", "65.00"],
        ["GD", "85.00 ± 7.07", "75.00 ± 7.07"],
    ]


def test_accuracy_table_has_columns_for_sizes_and_epochs():
    stop = StopAt(train_accuracy=0.995)
    accuracy, epochs = [[0.5, 0.5], [0.8, 0.8], [0.8, 0.7]], [[0, 0], [1, 1], [1, 2]]
    runs = {
        f"{exponent}_{size}": trained(
            exponent,
            size,
            stop,
            test_accuracy=accuracy,
            epochs_trained=epochs,
            train_accuracy=[[0, 0]] * 2 + [[1, 0.9]],
        )
        for size, exponent in ((4, 1.1), (3, 2), (3, 1.1))
    }
    table = table_imdb.tabulate(runs)
    assert table[["size", "exponent"]].to_numpy().tolist() == [[3, 1.1], [3, 2], [4, 1.1]]
    assert table["epochs_mean"].tolist() == [1.5] * 3
    head, first, second = cells(table_imdb.draw(runs))
    assert head == [
        "optimizer",
        *(f"size {size}, {what}" for size in (3, 4) for what in ("best (%)", "last (%)", "epochs", "reached")),
    ]
    assert first[1:] == ["80.00 ± 0.00", "75.00 ± 7.07", "1.5 ± 0.7", "1 of 2"] * 2
    assert second == ["GD", *first[1:5], "", "", "", ""]


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
    # What two digits do not tell apart is equal.
    assert table["better"].tolist() == ["1.1", "=", "2", "1.1"]
    head, *rows = cells(table_attention.draw(runs))
    assert head == ["No.", "sentence", "label", "optimal token", r"$\ell_{1.1}$-MD", "GD"]
    assert rows[0] == ["1", "A dull film", "negative", "dull", "1.00", "0.50"]
    # A label is not repeated.
    assert [row[2] for row in rows] == ["negative", "positive", "", ""]
    assert rows[-1] == ["mean", "3 of 5 listed sentences", "", "", "0.50", "0.37"]


def test_the_better_selector_is_in_bold_type():
    runs = selecting({2: np.array([[0.25, 0.5, 0.1], [0.75, 0.5, 0.1]]), 1.1: np.array([[1.0, 0.504, 0.0]])})
    (table,) = table_attention.draw(runs).findobj(Table)
    bold = {place for place, cell in table.get_celld().items() if cell.get_text().get_weight() == "bold"}
    assert bold == {(1, 4), (3, 5), (4, 4)}


def test_cells_are_shaded_by_value_and_stay_legible():
    shades = np.linspace(0, 1, 5)
    shown = pd.DataFrame({"name": list("abcde"), "score": [f"{score:.2f}" for score in shades]})
    (table,) = draw_table(shown, {"score": shades}, summary=1).findobj(Table)
    faces = [np.array(table[row + 1, 1].get_facecolor()) for row in range(5)]
    # On white paper.
    colors = [face[:3] * face[3] + 1 - face[3] for face in faces]
    linear = [np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4) for c in colors]
    luminance = [float(c @ [0.2126, 0.7152, 0.0722]) for c in linear]
    assert all(lighter > darker for lighter, darker in pairwise(luminance))
    # Of black text, as WCAG asks of small letters.
    assert (luminance[-1] + 0.05) / 0.05 > 4.5
    assert table[1, 1].get_text().get_color() == "black"
    assert table[1, 0].visible_edges == ""
