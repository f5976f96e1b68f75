"""Types of settings, as annotations. Pydantic checks them when a component or a configuration is created.

Lists of YAML and JSON become tuples, because components are frozen.
"""

from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeVar

from annotated_types import Ge, Gt, Le, Lt, MaxLen, MinLen
from pydantic import StringConstraints
from pydantic.types import Strict
from pydantic_core import CoreSchema, core_schema

# Names become parts of file names, which have at most 255 bytes.
MAX_NAME_LENGTH = 100
NAME = rf"^[a-z][a-z0-9_]{{0,{MAX_NAME_LENGTH - 1}}}$"

T = TypeVar("T")
Several = Annotated[tuple[T, ...], Strict(False), MinLen(1)]
Pair = Annotated[tuple[T, ...], Strict(False), MinLen(2), MaxLen(2)]

# Products of up to ten numbers of at most MAX_NUMBER are in the range of double precision. Jobs with counts above
# MAX_COUNT would never end.
MAX_NUMBER, MAX_COUNT, MAX_SEED = 1e30, 10**12, 2**32 - 1

Number = Annotated[float, Ge(-MAX_NUMBER), Le(MAX_NUMBER)]
Positive = Annotated[float, Gt(0), Le(MAX_NUMBER)]
NonNegative = Annotated[float, Ge(0), Le(MAX_NUMBER)]
Exponent = Annotated[float, Gt(1), Le(10)]
Probability = Annotated[float, Ge(0), Le(1)]
Fraction = Annotated[float, Ge(0), Lt(1)]
Count = Annotated[int, Ge(1), Le(MAX_COUNT)]
VocabularySize = Annotated[int, Ge(4), Le(MAX_COUNT)]
ClassCount = Annotated[int, Ge(1), Le(100)]
Index = Annotated[int, Ge(0), Le(MAX_COUNT)]
Seed = Annotated[int, Ge(0), Le(MAX_SEED)]

Flags = Several[bool]
Counts = Several[Count]
Indices = Several[Index]
Seeds = Several[Seed]
Labels = Several[Annotated[str, MinLen(1)]]
NonNegatives = Several[NonNegative]
Positives = Several[Positive]
Exponents = Exponent | Several[Exponent]
# One number for all starts, or a number for each start.
PositivePerStart = Positive | Several[Positive]
# One number, or several numbers: a grid with a training run for each number.
Grid = Positive | Several[Positive]
Vector = Several[Number]
Point = Pair[Number]
Points = Several[Point]
Cell = Pair[Index]
TokenRange = Pair[Index]
Selection = Literal["optimal"] | Indices

Name = Annotated[str, StringConstraints(pattern=NAME)]
Symbol = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_]*$")]
Label = Literal[-1, 1]
Precision = Literal["stable", "float64", "float32"]
DataSource = Literal["embedded", "mirror", "official"]
# Networks whose published weights can be loaded.
PublishedModel = Literal["bert-base-uncased", "all-minilm-l6-v2"]
Time = Literal["linear", "log", "log_log", "cube_root"]
Rate = Literal["one", "log", "log_to_three_quarters", "log_over_log_log", "t_over_log_squared"]


class NameReference(str):
    """Name of something that the same configuration file defines elsewhere. An undefined name is an error."""

    PATTERN = NAME

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> CoreSchema:
        return _converted(cls, core_schema.str_schema(pattern=cls.PATTERN, strict=True))


class RunName(NameReference):
    """Name of one of the runs that the figure lists."""


class ReferenceName(NameReference):
    """Name of a reference direction. In a run it is a reference of its problem; in a figure, of one of its runs."""


class OwnReferenceName(NameReference):
    """Name of a run's own reference direction, which is solved for the tokens that the run selects."""


class SeriesName(NameReference):
    """Name of a measured series of one of the figure's runs; it may end with the name of a parameter, such as W."""

    PATTERN = NAME.replace("a-z0-9", "A-Za-z0-9")


class RecordedStep(int):
    """An iteration that one of the figure's runs records."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> CoreSchema:
        return _converted(cls, core_schema.int_schema(ge=0, strict=True))


def _converted(convert: Callable[[Any], Any], schema: CoreSchema) -> CoreSchema:
    return core_schema.no_info_after_validator_function(convert, schema)


class Increasing:
    """Annotation of a pair of numbers: the second must be larger."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> CoreSchema:
        return _converted(_increasing, handler(source))


def _increasing(ends: tuple[float, float]) -> tuple[float, float]:
    if ends[0] >= ends[1]:
        raise ValueError(f"needs two numbers, the second larger than the first, got {list(ends)}")
    return ends


PublishedEnds = dict[RunName, dict[ReferenceName, float]]
RunNames = Several[RunName]
ReferenceNames = Several[ReferenceName]
ReferencePair = Pair[ReferenceName]
References = Annotated[dict[ReferenceName, Exponent], MinLen(1)]
RecordedSteps = Several[RecordedStep]
Window = Annotated[Pair[RecordedStep], Increasing()]
Interval = Annotated[Pair[Number], Increasing()]
