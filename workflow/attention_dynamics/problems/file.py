"""Problems from a file of tokens and labels that the user provides."""

import os
from functools import lru_cache
from typing import Annotated, NamedTuple, Self

from annotated_types import MinLen
from pydantic import AfterValidator, model_validator

from attention_dynamics.problems.problem import Problem
from attention_dynamics.problems.shape import TokenShape
from attention_dynamics.problems.source import ProblemSource
from attention_dynamics.problems.token_files import HeadSource, read_token_file
from attention_dynamics.types import Count, Index


class EditedFileError(RuntimeError):
    """Error of a job whose file was edited after Snakemake planned the job."""


class FileProblem(ProblemSource, kind="file"):
    """Data sets in a file of tokens and labels, ``.npz`` or ``.csv`` (``token_files``), with W = identity.

    path: path of the file, relative to the folder in which Snakemake runs. head: "file" for a file that has the head or
    the optimal tokens; "logistic_regression" for a file with neither, where v is fitted to the mean token of each
    input. first: index of the first data set to use, counted from 0. datasets: the number of data sets, by default all
    from ``first`` on. sha256: the SHA-256 of the file, computed by default, so that jobs run again if the file
    changes.
    """

    path: Annotated[str, MinLen(1), AfterValidator(os.path.expanduser)]
    head: HeadSource = "file"
    first: Index = 0
    datasets: Count | None = None
    sha256: str = ""

    @model_validator(mode="after")
    def _check_file(self) -> Self:
        outline = _outline(self.path, self.head)
        for key, needed in {"first": self.first + 1, "datasets": self.first + (self.datasets or 1)}.items():
            if needed > outline.datasets:
                raise ValueError(f"{key}: needs {needed} data sets, but {self.path} has {outline.datasets}")
        # The SHA-256 is a field, so that components whose files have different contents are not equal.
        object.__setattr__(self, "sha256", self.sha256 or outline.sha256)
        return self

    @property
    def shape(self) -> TokenShape:
        """Size of the data. Raises ValueError for a file with another SHA-256 than ``sha256``."""
        outline = _outline(self.path, self.head)
        if outline.sha256 != self.sha256:
            raise ValueError(f"sha256: {self.path} has {outline.sha256}; correct it or the file")
        planar = outline.dimension == 2 and not outline.queries
        return TokenShape(
            problems=self.datasets or outline.datasets - self.first, inputs=outline.inputs, tokens=outline.tokens,
            dimension=outline.dimension, fixed_head=outline.fixed_head, planar=planar,
            key_dimension=outline.dimension**2 if outline.queries else None,
        )  # fmt: skip

    @property
    def max_shards(self) -> int:
        return self.shape.problems

    def shard(self, number: int, count: int) -> Self:
        """Return the source of consecutive data sets; the sizes of shards differ by at most one data set."""
        super().shard(number, count)
        before, after = (self.max_shards * k // count for k in (number - 1, number))
        return self.model_copy(update={"first": self.first + before, "datasets": after - before})

    def build(self) -> Problem:
        """Return the data sets as a batch of problems. Raises EditedFileError for a file with another SHA-256."""
        file = read_token_file(self.path)
        if file.sha256 != self.sha256:
            raise EditedFileError(f"{self.path} was edited after this run was planned. Run the same command again.")
        return file.select(self.first, self.datasets).problem(self.head)


class _Outline(NamedTuple):
    """Properties of a file that are needed before its problems are built. queries: True if the file has queries."""

    sha256: str
    datasets: int
    inputs: int
    tokens: int
    dimension: int
    fixed_head: bool
    queries: bool


def _outline(path: str, head: HeadSource) -> _Outline:
    """Return the outline of a file. Raises ValueError as ``read_problem``, with the key "path" in the message.

    The outline is cached; the file is read again if its modification time or size has changed.
    """
    place = os.path.abspath(path)
    try:
        status = os.stat(place)
        stamp = status.st_mtime_ns, status.st_size
    except OSError:
        stamp = 0, 0
    try:
        return _read_outline(path, head, place, stamp)
    except ValueError as error:
        raise ValueError(f"path: {error}") from None


@lru_cache
def _read_outline(path: str, head: HeadSource, place: str, stamp: tuple[int, int]) -> _Outline:
    """Return the outline of a file.

    place, stamp: absolute path, and time and size of the file. They are used only as keys of the cache.
    """
    file = read_token_file(path)
    file.check(head)
    if file.head is not None:
        # The problem is built only to raise an error for scores that leave the floating-point range.
        file.problem()
    P, n, T, d = file.tokens.shape
    return _Outline(file.sha256, P, n, T, d, fixed_head=file.optimal is None, queries=file.queries is not None)
