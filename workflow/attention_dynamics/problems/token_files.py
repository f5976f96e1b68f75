"""Files of token sequences: ``.npz`` with arrays, or ``.csv`` with a row for each token.

An ``.npz`` has ``tokens`` (n, T, d) and ``labels`` (n,), +1 or -1. It may also have ``head`` (d,), the fixed value
head v, or ``optimal`` (n,), the index of each input's optimal token, counted from 0; and ``queries`` (n, d), the z_i of
self-attention. For P data sets, each array has a leading axis P. A ``.csv`` has the columns ``input``, ``label`` and
``x1`` to ``xd``. It may also have ``dataset``, and ``optimal``, which is 1 for the optimal token of an input, else 0.
"""

import os
import re
import warnings
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.bounded_files import read_bounded
from attention_dynamics.choices import format_value, format_wrong_choice
from attention_dynamics.problems.arrays import as_array, check_array, check_shape, format_entry
from attention_dynamics.problems.problem import Array, Problem, with_fixed_head
from attention_dynamics.progress import one_line

if TYPE_CHECKING:
    from pandas import DataFrame

# Origin of the fixed head: the file (which may have optimal tokens instead), or a fit to the labels.
HeadSource = Literal["file", "logistic_regression"]
REQUIRED, OPTIONAL = ("tokens", "labels"), ("head", "optimal", "queries")
COORDINATE = re.compile(r"x[1-9]\d*")
# Largest size of a file. The limit is lower for .csv, because a table takes several times as much memory as its file.
MAX_BYTES = {".npz": 1 << 30, ".csv": 100_000_000}
# Errors that NumPy raises for a file that is not a complete archive of arrays.
UNREADABLE = (
    ValueError, OSError, EOFError, KeyError, MemoryError, NotImplementedError, RuntimeError, zipfile.BadZipFile,
    zlib.error,
)  # fmt: skip


@dataclass(frozen=True)
class _TokenFile:
    """Checked content of a file, with an axis of P data sets.

    path: its path as the user wrote it, for messages. sha256: SHA-256 of its bytes. tokens: (P, n, T, d).
    labels: (P, n). head: (P, d). optimal: (P, n). queries: (P, n, d).
    """

    path: str
    sha256: str
    tokens: Array
    labels: Array
    head: Array | None = None
    optimal: NDArray[np.int64] | None = None
    queries: Array | None = None

    def select(self, first: int, datasets: int | None) -> "_TokenFile":
        """Return the part with ``datasets`` data sets from index ``first`` on; with all from ``first`` on for None."""
        chosen = slice(first, None if datasets is None else first + datasets)
        arrays = {name: getattr(self, name) for name in (*REQUIRED, *OPTIONAL)}
        return replace(self, **{name: array[chosen] for name, array in arrays.items() if array is not None})

    def problem(self, head: HeadSource = "file") -> Problem:
        """Return the data sets as ``read_problem`` does. Raises ValueError as ``check`` and ``with_fixed_head``."""
        self.check(head)
        identity = np.eye(self.tokens.shape[-1])
        if self.optimal is not None:
            return Problem(self.tokens, self.labels, identity, self.optimal, queries=self.queries)
        heads = self._fit_heads() if self.head is None else self.head
        try:
            return with_fixed_head(self.tokens, self.labels, identity, heads, queries=self.queries)
        except ValueError as error:
            raise ValueError(f"{self.path}: {error}") from None

    def check(self, head: HeadSource) -> None:
        """Raise ValueError unless exactly one of head, optimal and a logistic regression says which tokens are optimal.

        Also raises ValueError for a logistic regression if all labels of a data set are equal.
        """
        here = [name for name in ("head", "optimal") if getattr(self, name) is not None]
        what = ""
        if head == "logistic_regression":
            if here:
                what = f"has {here[0]}; remove it, or the setting head: logistic_regression"
            elif (self.labels == self.labels[:, :1]).all(1).any():
                what = "labels: head: logistic_regression needs both +1 and -1 in each data set"
        elif not here:
            what = "has neither head nor optimal; add one of them, or set head: logistic_regression"
        elif len(here) > 1:
            what = "has head and optimal; remove optimal, which follows from the head, or the head, to train it"
        if what:
            raise ValueError(f"{self.path}: {what}")

    def _fit_heads(self) -> Array:
        """Return the head that logistic regression fits to the mean tokens of each data set, (P, d)."""
        from sklearn.linear_model import LogisticRegression  # imported here: it takes a second, and few files need it

        regression = LogisticRegression(fit_intercept=False)
        pairs = zip(self.tokens.mean(2), self.labels, strict=True)
        return np.array([regression.fit(means, labels).coef_[0] for means, labels in pairs])


def read_problem(path: str | Path, head: HeadSource = "file") -> Problem:
    """Return the data sets in a file as a batch of problems whose ``key_weights`` are the identity.

    If the file has a head, the head is fixed, and the optimal tokens are those with the highest scores. If the file has
    ``optimal``, the head v is trained. head: "file" for such files; for a file with neither, "logistic_regression" fits
    a fixed head to the mean token of each input, without an intercept.
    Raises ValueError, in one line with the path, for a file that cannot be read or whose arrays or columns do not fit.
    """
    return read_token_file(path).problem(head)


def read_token_file(path: str | Path) -> _TokenFile:
    """Return the content of a file. Raises ValueError as ``read_problem``."""
    ending = Path(path).suffix
    if ending not in MAX_BYTES:
        raise ValueError(f"{path}: its name does not end with {' or '.join(MAX_BYTES)}")
    if not os.path.exists(path):
        raise ValueError(f"{os.path.abspath(path)}: there is no such file")
    try:
        data = read_bounded(Path(path), MAX_BYTES[ending])
    except OSError as error:
        raise ValueError(str(error)) from None
    try:
        arrays = _check_arrays(_read_npz(data) if ending == ".npz" else _read_csv(data))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    return _TokenFile(str(path), sha256(data).hexdigest(), **arrays)


def _check_arrays(arrays: dict[str, Any]) -> dict[str, Any]:
    """Return the arrays of a file by name, with the shapes in ``_TokenFile``. Raises ValueError if they do not fit.

    arrays: the arrays as read, with or without a first axis of data sets.
    """
    batch = ("P",) if np.ndim(arrays["tokens"]) == 4 else ()
    if np.ndim(arrays["tokens"]) not in (3, 4):
        shape = np.shape(arrays["tokens"])
        raise ValueError(f"tokens: need an array (n, T, d), or (P, n, T, d) for several data sets, got shape {shape}")
    tokens = check_array("tokens", arrays["tokens"], (*batch, "n", "T", "d"), (None,) * (len(batch) + 3))
    *P, n, T, d = tokens.shape
    checked: dict[str, Any] = {"tokens": tokens}
    for name, sizes in {"labels": {"n": n}, "head": {"d": d}, "queries": {"n": n, "d": d}}.items():
        if name in arrays:
            checked[name] = check_array(name, arrays[name], (*batch, *sizes), (*P, *sizes.values()))
    _require("labels", checked["labels"], np.abs(checked["labels"]) == 1, "+1 and -1")
    if "optimal" in arrays:
        optimal = checked["optimal"] = as_array("optimal", arrays["optimal"], np.dtype(np.int64))
        check_shape("optimal", optimal, (*batch, "n"), (*P, n))
        _require("optimal", optimal, (optimal >= 0) & (optimal < T), f"indices of tokens, 0 to {T - 1}")
    return checked if batch else {name: array[None] for name, array in checked.items()}


def _require(name: str, array: NDArray[Any], allowed: NDArray[np.bool_], what: str) -> None:
    """Raise ValueError, with the first entry of ``array`` that is not allowed, if there is one.

    allowed: mask in the shape of ``array``. what: the allowed numbers, for the message.
    """
    if not allowed.all():
        place = tuple(np.argwhere(~allowed)[0].tolist())
        raise ValueError(f"{name}: need {what}, got {array[place]:g} in {format_entry(name, place)}")


def _require_names(what: str, given: Sequence[str], required: Sequence[str], optional: Sequence[str]) -> None:
    """Raise ValueError for an unknown or missing name. what: "array" or "column", for the message."""
    for name in given:
        if name not in (*required, *optional):
            raise ValueError(f"{what} {format_wrong_choice(name, (*required, *optional))}")
    for name in required:
        if name not in given:
            raise ValueError(f"{what} {name} is missing; needs {', '.join(required)}, may have {', '.join(optional)}")


def _read_npz(data: bytes) -> dict[str, Any]:
    """Return the arrays of an archive by name. Raises ValueError if they cannot be read or are too large."""
    try:
        archive = np.load(BytesIO(data), allow_pickle=False)
        sizes = [member.file_size for member in archive.zip.infolist()]
    # For a file with a single array, np.load returns that array, which has no attribute ``zip``.
    except (*UNREADABLE, AttributeError):
        raise ValueError("is not an archive of arrays, as numpy.savez writes it") from None
    _require_names("array", archive.files, REQUIRED, OPTIONAL)
    # A small archive may decompress to huge arrays.
    if sum(sizes) > MAX_BYTES[".npz"]:
        raise ValueError(f"its arrays have more than {MAX_BYTES['.npz']:,} bytes")
    return {name: _read_array(archive, name) for name in archive.files}


def _read_array(archive: Any, name: str) -> NDArray[Any]:
    try:
        array: NDArray[Any] = archive[name]
    except UNREADABLE as error:
        what = "it has Python objects" if "allow_pickle" in str(error) else "it is damaged or incomplete"
        raise ValueError(f"{name}: cannot be read ({what})") from None
    return array


def _read_csv(data: bytes) -> dict[str, Any]:
    """Return the arrays in a table by name, with an axis of data sets. Raises ValueError for an invalid table."""
    import pandas as pd  # imported here: it takes half a second, and .npz files do not need it

    try:
        with warnings.catch_warnings():
            # The warning becomes an error, because pandas would drop the end of a row longer than the first one.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            # Cells are read as text, because some versions of pandas do not round a text to the nearest float.
            table = pd.read_csv(BytesIO(data), dtype=str, index_col=False, na_filter=False, skipinitialspace=True)
    except pd.errors.ParserWarning:
        raise ValueError("is not a table: its rows have more cells than the first one has columns") from None
    except ValueError as error:
        raise ValueError(f"is not a table of comma-separated values ({one_line(error)})") from None
    given = [name for name in table.columns if COORDINATE.fullmatch(name)]
    coordinates = [f"x{k}" for k in range(1, max(1, len(given)) + 1)]
    if given and (missing := [name for name in coordinates if name not in given]):
        raise ValueError(f"column {missing[0]} is missing; has {', '.join(given)}")
    _require_names("column", list(table.columns), ("input", "label", *coordinates), ("dataset", "optimal"))
    if table.empty:
        raise ValueError("has no rows")
    datasets, inputs = (
        pd.factorize(table[name])[0] if name in table else np.zeros(len(table), dtype=np.int64)
        for name in ("dataset", "input")
    )
    # np.lexsort is stable, so that the tokens of an input stay in the order of their rows.
    order = np.lexsort((inputs, datasets))
    table = table.iloc[order]
    shape = _count(table, datasets[order], inputs[order])
    tokens = np.stack([_numbers(table, name) for name in coordinates], axis=-1)
    labels = _numbers(table, "label", {1: "+1", -1: "-1"}).reshape(shape)
    if (mixed := labels != labels[..., :1]).any():
        raise ValueError(f"label: {_name_input(table, mixed.argmax())} has rows with +1 and with -1")
    arrays = {"tokens": tokens.reshape(*shape, len(coordinates)), "labels": labels[..., 0]}
    if "optimal" in table:
        optimal = _numbers(table, "optimal", {0: "0", 1: "1"}).reshape(shape)
        counts = optimal.sum(-1).ravel()
        if (wrong := counts != 1).any():
            k = wrong.argmax()
            raise ValueError(f"optimal: {_name_input(table, k * shape[-1])} has {counts[k]:g} optimal tokens, not one")
        arrays["optimal"] = optimal.argmax(-1)
    return arrays


def _count(table: "DataFrame", datasets: NDArray[np.int64], inputs: NDArray[np.int64]) -> tuple[int, int, int]:
    """Return the number of data sets, of inputs per data set, and of tokens per input.

    table: its rows are sorted by data set and input. datasets, inputs: (rows,), the numbers of the data set and of the
    input of each row. Raises ValueError unless all data sets have equally many inputs, and all inputs equally many
    tokens.
    """
    first_rows = np.flatnonzero(np.diff(datasets, prepend=-1) | np.diff(inputs, prepend=-1))
    tokens, counts = np.diff(first_rows, append=len(table)), np.bincount(datasets[first_rows])
    if (other := tokens != tokens[0]).any():
        k = other.argmax()
        here, there = (_name_input(table, row) for row in (first_rows[k], 0))
        raise ValueError(f"{here} has {tokens[k]} tokens, but {there} has {tokens[0]}; all need equally many")
    if (other := counts != counts[0]).any():
        k = other.argmax()
        here, there = (table["dataset"].iloc[int(row)] for row in ((datasets == k).argmax(), 0))
        raise ValueError(f"dataset {here} has {counts[k]} inputs, but {there} has {counts[0]}; all need equally many")
    return len(counts), int(counts[0]), int(tokens[0])


def _name_input(table: "DataFrame", row: Any) -> str:
    """Return the name of the input of a row, such as "input 3 of dataset 1"."""
    names = table.iloc[int(row)]
    return f"input {names['input']}" + (f" of dataset {names['dataset']}" if "dataset" in names else "")


def _numbers(table: "DataFrame", column: str, allowed: dict[int, str] | None = None) -> Array:
    """Return a column of finite numbers, (rows,).

    allowed: the only numbers that the column may have, each with its text for messages; by default all finite numbers.
    Raises ValueError for a cell with anything else, with the number of its row, counted from 1 below the heading.
    """
    cells = table[column].tolist()
    numbers = np.array([_as_number(cell) for cell in cells])
    wrong = ~np.isin(numbers, list(allowed)) if allowed else ~np.isfinite(numbers)
    if wrong.any():
        k, what = int(wrong.argmax()), " or ".join(allowed.values()) if allowed else "a finite number"
        raise ValueError(
            f"{column}: row {table.index[k] + 1} below the heading: need {what}, got {format_value(cells[k])}"
        )
    return numbers


def _as_number(text: str) -> float:
    """Return the number that a text stands for, or NaN if it is not a number."""
    try:
        return float(text)
    except ValueError:
        return np.nan
