"""Sizes of data, known before the data are built, to check that the training of a run fits the data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar


@dataclass(frozen=True, kw_only=True)
class Shape:
    """Size of a batch of problems; one subclass per kind of data.

    data: the kind of data. problems: the number of problems. settings: name -> values, for settings that vary between
    problems.
    """

    data: ClassVar[str] = ""

    problems: int = 1
    settings: Mapping[str, Sequence[float]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class TokenShape(Shape):
    """Size of a batch of labelled token sequences (``problem.Problem``).

    inputs, tokens, dimension: n, T and d. fixed_head: False if v is trained. planar: True if all but the first two
    coordinates of the keys are zero. key_dimension: dimension of the keys, or None if it is d. starts: parameter name
    -> number of starts that the problem itself provides.
    """

    data: ClassVar[str] = "tokens"

    inputs: int
    tokens: int
    dimension: int
    fixed_head: bool = True
    planar: bool = False
    key_dimension: int | None = None
    starts: Mapping[str, int] = field(default_factory=dict)
