"""Files of tokens and labels: what is written comes back, and malformed files are refused in one line."""

import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of
from pydantic import ValidationError
from sklearn.linear_model import LogisticRegression

from attention_dynamics.config.load import load_config
from attention_dynamics.problems import token_files
from attention_dynamics.problems.file import EditedFileError, FileProblem
from attention_dynamics.problems.problem import with_fixed_head
from attention_dynamics.problems.source import ProblemSource
from attention_dynamics.problems.token_files import read_problem
from helpers.refusals import refusal

some = settings(deadline=None, max_examples=40, derandomize=True)
NUMBERS = st.floats(-1e100, 1e100, allow_subnormal=False)
RNG = np.random.default_rng(0)
TOKENS = RNG.standard_normal((4, 3, 2))
LABELS = np.array([1, -1, 1, -1])
OPTIMAL = np.array([0, 2, 1, 1])
BATCH = RNG.standard_normal((5, 4, 3, 2))
CONFIG = """
problems:
  mine: {kind: file, path: data/mine.npz}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> Path:
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)
    Path("data").mkdir()
    return tmp_path


def save_npz(path: str = "data/mine.npz", **arrays) -> str:
    np.savez(path, **arrays)
    return path


def save_csv(text: str | bytes, path: str = "data/mine.csv") -> str:
    Path(path).write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def refused(path: str) -> str:
    return refusal(read_problem, path, error=ValueError)


def as_table(tokens, labels, optimal=None, names=None) -> pd.DataFrame:
    """Return data sets as a table. tokens: (P, n, T, d). names: of the inputs, the same in all data sets."""
    P, n, T, d = tokens.shape
    dataset, i, t = (axis.ravel() for axis in np.indices((P, n, T)))
    columns = {"dataset": dataset, "input": i if names is None else np.array(names)[i], "label": labels[dataset, i]}
    if optimal is not None:
        columns["optimal"] = (optimal[dataset, i] == t).astype(int)
    return pd.DataFrame(columns | {f"x{k + 1}": tokens.reshape(-1, d)[:, k] for k in range(d)})


@st.composite
def batches(draw):
    """Draw tokens (P, n, T, d), labels (P, n) and optimal tokens (P, n)."""
    P, n, T, d = (draw(st.integers(1, most)) for most in (3, 4, 3, 3))
    tokens = draw(arrays_of.arrays(float, (P, n, T, d), elements=NUMBERS))
    labels = draw(arrays_of.arrays(float, (P, n), elements=st.sampled_from([-1.0, 1.0])))
    return tokens, labels, draw(arrays_of.arrays(np.int64, (P, n), elements=st.integers(0, T - 1)))


@pytest.mark.slow
@some
@given(batches(), st.booleans(), st.randoms())
def test_arrays_come_back_from_both_forms(batch, with_queries, random):
    tokens, labels, optimal = batch
    queries = {"queries": tokens[:, :, 0]} if with_queries else {}
    from_npz = read_problem(save_npz(tokens=tokens, labels=labels, optimal=optimal, **queries))
    table = as_table(tokens, labels, optimal, [f"input {k}" for k in range(tokens.shape[1])])
    # Columns in any order.
    order = list(table.columns)
    random.shuffle(order)
    from_csv = read_problem(save_csv(table[order].to_csv(index=False)))
    for problem in (from_npz, from_csv):
        np.testing.assert_array_equal(problem.tokens, tokens, strict=True)
        np.testing.assert_array_equal(problem.labels, labels, strict=True)
        np.testing.assert_array_equal(problem.optimal, optimal, strict=True)
        assert problem.head is None
        np.testing.assert_array_equal(problem.key_weights, np.eye(tokens.shape[-1]))
    assert from_csv.queries is None
    assert (from_npz.queries is not None) == with_queries


@some
@given(batches(), st.randoms())
def test_rows_of_an_input_need_not_follow_each_other(batch, random):
    tokens, labels, optimal = batch
    P, n, T, _ = tokens.shape
    table = as_table(tokens, labels, optimal)
    # The tokens of an input in order, the inputs mixed.
    turns = [(k, i) for k in range(P) for i in range(n) for _ in range(T)]
    random.shuffle(turns)
    rows = {pair: iter(range((pair[0] * n + pair[1]) * T, (pair[0] * n + pair[1] + 1) * T)) for pair in turns}
    mixed = read_problem(save_csv(table.iloc[[next(rows[pair]) for pair in turns]].to_csv(index=False)))
    datasets, inputs = list(dict.fromkeys(k for k, _ in turns)), list(dict.fromkeys(i for _, i in turns))
    np.testing.assert_array_equal(mixed.tokens, tokens[np.ix_(datasets, inputs)])
    np.testing.assert_array_equal(mixed.optimal, optimal[np.ix_(datasets, inputs)])


def test_head_of_file_decides_optimal_tokens():
    heads = RNG.standard_normal((5, 2))
    labels = np.tile(LABELS, (5, 1))
    problem = read_problem(save_npz(tokens=BATCH, labels=labels, head=heads))
    expected = with_fixed_head(BATCH, labels, np.eye(2), heads)
    np.testing.assert_array_equal(problem.optimal, expected.optimal)
    one = read_problem(save_npz(tokens=BATCH[2], labels=LABELS, head=heads[2]))
    np.testing.assert_array_equal(one.optimal, expected.optimal[2:3])
    assert one.tokens.shape == (1, 4, 3, 2)


def test_head_is_fitted_to_mean_tokens():
    source = FileProblem(path=save_npz(tokens=BATCH, labels=np.tile(LABELS, (5, 1))), head="logistic_regression")
    built = source.build()
    fit = LogisticRegression(fit_intercept=False).fit(BATCH[3].mean(1), LABELS)
    np.testing.assert_array_equal(built.head[3], fit.coef_[0])
    assert source.shape.fixed_head


def test_table_without_datasets_is_one():
    table = as_table(TOKENS[None], LABELS[None]).drop(columns="dataset")
    problem = read_problem(save_csv(table.to_csv(index=False)), head="logistic_regression")
    np.testing.assert_array_equal(problem.tokens, TOKENS[None])


@pytest.mark.parametrize("optional", ["head", "optimal", "queries"])
def test_shape_matches_built_problem(optional):
    extra = {"head": np.ones((5, 2)), "optimal": np.tile(OPTIMAL, (5, 1)), "queries": BATCH[:, :, 0]}
    arrays = {"tokens": BATCH, "labels": np.tile(LABELS, (5, 1)), optional: extra[optional]}
    if optional == "queries":
        arrays["head"] = extra["head"]
    source = FileProblem(path=save_npz(**arrays), first=1, datasets=3)
    built, shape = source.build(), source.shape
    assert built.tokens.shape == (shape.problems, shape.inputs, shape.tokens, shape.dimension) == (3, 4, 3, 2)
    np.testing.assert_array_equal(built.tokens, BATCH[1:4])
    assert built.keys.shape[-1] == (shape.key_dimension or shape.dimension)
    assert (built.head is not None) == shape.fixed_head == (optional != "optimal")
    assert shape.planar == (optional != "queries")


@pytest.mark.parametrize("count", [2, 3, 5])
def test_shards_together_are_the_whole(count):
    path = save_npz(tokens=BATCH, labels=np.tile(LABELS, (5, 1)))
    source = FileProblem(path=path, head="logistic_regression")
    whole, shards = source.build(), [source.shard(k, count).build() for k in range(1, count + 1)]
    for name in ("tokens", "labels", "head", "optimal"):
        np.testing.assert_array_equal(np.concatenate([getattr(one, name) for one in shards]), getattr(whole, name))
    assert source.max_shards == 5
    parts = FileProblem(path=path, head="logistic_regression", first=2, datasets=2)
    np.testing.assert_array_equal(parts.shard(2, 2).build().tokens, BATCH[3:4])


def test_content_of_file_is_part_of_settings():
    arrays = {"tokens": TOKENS, "labels": LABELS, "optimal": OPTIMAL}
    before = FileProblem(path=save_npz(**arrays))
    assert ProblemSource.of(json.loads(before.model_dump_json())) == before
    save_npz(**arrays)
    again = FileProblem(path="data/mine.npz")
    assert again == before
    after = FileProblem(path=save_npz(**arrays | {"labels": -LABELS}))
    assert after.sha256 != before.sha256
    assert refusal(before.build, error=EditedFileError).startswith("data/mine.npz was edited after this run")
    with pytest.raises(ValueError, match=f"data/mine.npz has {after.sha256}"):
        _ = before.shape
    # The same file under another name, and the whole path.
    assert FileProblem(path=str(Path("data/mine.npz").resolve())).sha256 == after.sha256


def saved(save, *arrays, **named) -> bytes:
    """Return the bytes of a file that numpy.save or numpy.savez writes."""
    file = io.BytesIO()
    save(file, *arrays, **named)
    return file.getvalue()


def npz(*without, **changes):
    """Return the bytes of a file with some of its arrays replaced or left out."""
    arrays = {"tokens": TOKENS, "labels": LABELS, "optimal": OPTIMAL} | changes
    return "data/mine.npz", saved(np.savez, **{name: array for name, array in arrays.items() if name not in without})


def csv(*rows: str, columns: str = "input,label,optimal,x1,x2"):
    return "data/mine.csv", "\n".join([columns, *rows, ""]).encode()


NAN = TOKENS.copy()
NAN[1, 2, 0] = np.nan
UNEQUAL = np.array([np.zeros((3, 2)), np.zeros((2, 2))], dtype=object)
NO_ARCHIVE = "is not an archive of arrays, as numpy.savez writes it"
NO_TABLE = "is not a table"
ROWS = ("a,1,1,0,0", "a,1,0,1,1", "b,-1,0,2,0", "b,-1,1,0,2")
MALFORMED = {
    "no array of labels": (npz("labels"), "array labels is missing; needs tokens, labels, may have head, optimal, "
                           "queries"),
    "misspelt array": (npz("labels", label=LABELS), "array 'label' is not one of tokens, labels, head, optimal, "
                       "queries (did you mean 'labels'?)"),
    "labels 0 and 1": (npz(labels=(LABELS + 1) // 2), "labels: need +1 and -1, got 0 in labels[1]"),
    "too few labels": (npz(labels=LABELS[1:]), "labels: need an array (n = 4), got shape (3,)"),
    "labels as text": (npz(labels=np.array(["yes", "no", "yes", "no"])), "labels: need numbers, got an array of <U3"),
    "flat tokens": (npz(tokens=TOKENS[0]), "tokens: need an array (n, T, d), or (P, n, T, d) for several data sets, "),
    "no tokens": (npz(tokens=TOKENS[:0]), "tokens: need an array (n, T, d), got shape (0, 3, 2)"),
    "not a number": (npz(tokens=NAN), "tokens: not all numbers are finite, got nan in tokens[1, 2, 0]"),
    "complex numbers": (npz(tokens=TOKENS * 1j), "tokens: need numbers, got an array of complex128"),
    "Python objects": (npz(tokens=UNEQUAL), "tokens: cannot be read (it has Python objects)"),
    "index beyond the tokens": (npz(optimal=OPTIMAL + 1), "optimal: need indices of tokens, 0 to 2, got 3"),
    "index that is not whole": (npz(optimal=OPTIMAL / 2), "optimal: need whole numbers, got an array of float64"),
    "two ways": (npz(head=np.ones(2)), "has head and optimal; remove optimal, which follows from the head, or the "
                 "head, to train it"),
    "no way": (npz("optimal"), "has neither head nor optimal; add one of them, or set head: logistic_regression"),
    "head of another dimension": (npz("optimal", head=np.ones(3)), "head: need an array (d = 2), got shape (3,)"),
    "query for each token": (npz(queries=TOKENS), "queries: need an array (n = 4, d = 2), got shape (4, 3, 2)"),
    "head for one of the data sets": (npz("optimal", tokens=TOKENS[None], labels=LABELS[None], head=np.ones(2)),
                                      "head: need an array (P = 1, d = 2), got shape (2,)"),
    "scores beyond numbers": (npz("optimal", tokens=TOKENS * 1e200, head=np.full(2, 1e200)),
                              "tokens and head: scores are beyond the floating-point range; rescale them"),
    "cut off": (("data/mine.npz", npz()[1][:-30]), NO_ARCHIVE),
    "damaged": (("data/mine.npz", npz()[1].replace(TOKENS[2].tobytes(), bytes(48))),
                "tokens: cannot be read (it is damaged or incomplete)"),
    "another archive": (("data/mine.npz", b"PK\x05\x06" + bytes(18)), "array tokens is missing; needs"),
    "single array": (("data/mine.npz", saved(np.save, TOKENS)), NO_ARCHIVE),
    "text": (("data/mine.npz", b"tokens"), NO_ARCHIVE),
    "empty": (("data/mine.npz", b""), NO_ARCHIVE),
    "another form": (("data/mine.txt", b"1 2"), "its name does not end with .npz or .csv"),
    "missing column": (csv(*ROWS, columns="input,label,optimal,x1,y"), "column 'y' is not one of input, label, x1, "
                       "dataset, optimal"),
    "no coordinates": (csv("a,1,1", columns="input,label,optimal"), "column x1 is missing; needs input, label, x1, "),
    "gap in coordinates": (csv(*ROWS, columns="input,label,optimal,x1,x3"), "column x2 is missing; has x1, x3"),
    "text in a coordinate": (csv("a,1,1,0,zero"), "x2: row 1 below the heading: need a finite number, got 'zero'"),
    "empty cell": (csv(*ROWS[:2], "b,-1,1,,0", ROWS[3]), "x1: row 3 below the heading: need a finite number, got ''"),
    "infinite number": (csv("a,1,1,0,inf"), "x2: row 1 below the heading: need a finite number, got 'inf'"),
    "label 0": (csv("a,0,1,0,1"), "label: row 1 below the heading: need +1 or -1, got '0'"),
    "two labels": (csv(ROWS[0], "a,-1,0,1,1"), "label: input a has rows with +1 and with -1"),
    "two optimal tokens": (csv(*ROWS[:2], "b,-1,1,2,0", ROWS[3]), "optimal: input b has 2 optimal tokens, not one"),
    "no optimal token": (csv(*ROWS[:3], "b,-1,0,0,2"), "optimal: input b has 0 optimal tokens, not one"),
    "unequal inputs": (csv(*ROWS[:3]), "input b has 1 tokens, but input a has 2; all need equally many"),
    "long row": (csv("a,1,1,0,0,0"), f"{NO_TABLE}: its rows have more cells than the first one has columns"),
    "later long row": (csv(ROWS[0], "a,1,1,0,0,0"), f"{NO_TABLE} of comma-separated values ("),
    "no rows": (csv(), "has no rows"),
    "empty table": (("data/mine.csv", b""), f"{NO_TABLE} of comma-separated values (No columns to parse from file)"),
    "another encoding": (("data/mine.csv", "input,label,x1\né,1,2\n".encode("utf-16")), f"{NO_TABLE} of comma"),
}  # fmt: skip


@pytest.mark.parametrize(("file", "message"), MALFORMED.values(), ids=MALFORMED)
def test_malformed_file_is_refused_in_one_line(file, message):
    path, content = file
    Path(path).write_bytes(content)
    Path("config/mine").mkdir(parents=True)
    Path("config/config.yaml").write_text("scale: laptop\n")
    Path("config/mine/shared.yaml").write_text(CONFIG.replace("data/mine.npz", path))
    line = refusal(load_config, Path("config"), {})
    where = "config/mine/shared.yaml: problems.mine.path: "
    assert line.startswith(f"{where}{path}: {message}")
    assert len(line) < 300
    assert f"{where}{refused(path)}" == line
    with pytest.raises(ValidationError, match="1 validation error"):
        FileProblem(path=path)


def test_inputs_of_datasets_are_named():
    rows = [f"s,{row}" for row in ROWS] + ["t,a,1,1,0,0", "t,a,1,0,0,1"]
    for more, message in (
        ((), "dataset t has 1 inputs, but s has 2; all need equally many"),
        (("t,b,-1,1,0,0",), "input b of dataset t has 1 tokens, but input a of dataset s has 2; all need equally many"),
    ):
        path = save_csv(csv(*rows, *more, columns="dataset,input,label,optimal,x1,x2")[1])
        assert refused(path).endswith(message)


def test_file_that_is_missing_or_too_large_or_no_file_is_refused(folder, monkeypatch):
    assert refused("data/none.npz") == f"{folder}/data/none.npz: there is no such file"
    Path("data/folder.csv").mkdir()
    assert refused("data/folder.csv") == "data/folder.csv: cannot be read (Is a directory)"
    path = save_npz(tokens=np.zeros((1, 2, 3)), labels=[1], optimal=[0])
    monkeypatch.setitem(token_files.MAX_BYTES, ".npz", 100)
    assert refused(path) == "data/mine.npz: cannot be read (it has more than 100 bytes)"
    np.savez_compressed(path, tokens=np.zeros((100, 100, 100)), labels=np.ones(100))
    monkeypatch.setitem(token_files.MAX_BYTES, ".npz", 100_000)
    assert refused(path) == "data/mine.npz: its arrays have more than 100,000 bytes"


def test_settings_that_do_not_fit_the_file_are_refused():
    arrays, fitted = {"tokens": BATCH, "labels": np.ones((5, 4))}, {"head": "logistic_regression"}
    optimal = {"optimal": np.zeros((5, 4), int)}
    for more, setting, message in (
        ({}, fitted, r"labels: head: logistic_regression needs both \+1 and -1 in each data set"),
        (optimal, fitted, "has optimal; remove it, or the setting head: logistic_regression"),
        (optimal, {"first": 5}, "first: needs 6 data sets, but data/mine.npz has 5"),
        (optimal, {"first": 4, "datasets": 2}, "datasets: needs 6 data sets, but data/mine.npz has 5"),
    ):
        with pytest.raises(ValidationError, match=rf"^1 validation error(?s:.*){message}"):
            FileProblem(path=save_npz(**arrays, **more), **setting)
