"""The vocabulary of parameter types: annotations in code, checks on the configuration.

A plug-in declares what may be configured as keyword-only arguments; ``signatures.py`` looks their annotations up
here, or in ``block_types.py``, by name and never imports the plug-in.

Almost every job imports this, and only the configuration is checked by it: pydantic, which takes longer to import than
most plug-ins, is not imported before that.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Literal

from annotated_types import Ge, Gt, Le, MaxLen, MinLen

if TYPE_CHECKING:
    from pydantic_core import CoreSchema

NAME = r"^[a-z][a-z0-9_]*$"


class Matching:
    """Metadata of a text: it matches a pattern."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> "CoreSchema":
        return {**handler(source), "pattern": self.pattern}


Positive = Annotated[float, Gt(0)]
NonNegative = Annotated[float, Ge(0)]
Exponent = Annotated[float, Gt(1), Le(10)]
Probability = Annotated[float, Ge(0), Le(1)]
Flags = Annotated[list[bool], MinLen(1)]
Count = Annotated[int, Ge(1)]
VocabularySize = Annotated[int, Ge(4)]
Counts = Annotated[list[Count], MinLen(1)]
Index = Annotated[int, Ge(0)]
Indices = Annotated[list[Index], MinLen(1)]
Seed = Annotated[int, Ge(0)]
Seeds = Annotated[list[Seed], MinLen(1)]
Labels = Annotated[list[Annotated[str, MinLen(1)]], MinLen(1)]
NonNegatives = Annotated[list[NonNegative], MinLen(1)]
Exponents = Exponent | Annotated[list[Exponent], MinLen(1)]
Positives = Annotated[list[Positive], MinLen(1)]
PerStart = Positive | Annotated[list[Positive], MinLen(1)]
Grid = Positive | Annotated[list[Positive], MinLen(1)]
Name = Annotated[str, Matching(NAME)]
Symbol = Annotated[str, Matching(r"^[A-Za-z][A-Za-z0-9_]*$")]
Label = Literal[-1, 1]
Precision = Literal["stable", "float64", "float32"]
DataSource = Literal["embedded", "mirror", "official"]
Time = Literal["linear", "log", "log_log", "cube_root"]
Rate = Literal["one", "log", "log_to_three_quarters", "log_over_log_log", "t_over_log_squared"]
Over = Literal["min", "max", "mean", "each"]
Point = Annotated[list[float], MinLen(2), MaxLen(2)]
Cell = Annotated[list[Index], MinLen(2), MaxLen(2)]
Interval = Annotated[list[float], MinLen(2), MaxLen(2)]
Points = Annotated[list[Point], MinLen(1)]
Vector = Annotated[list[float], MinLen(1)]
TokenRange = Annotated[list[Index], MinLen(2), MaxLen(2)]
Selection = Literal["optimal"] | Indices


class Link(str):
    """A name of something defined elsewhere in the same file; that it is there is checked for every link."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> "CoreSchema":
        from pydantic_core import core_schema

        return _after(cls, core_schema.str_schema(pattern=NAME, strict=True))


class RunName(Link):
    """One of the runs that the figure lists."""


class ReferenceName(Link):
    """A reference direction of the problem of the run, or of one of the figure's runs."""


class OwnReferenceName(Link):
    """A reference direction of the run itself, of the tokens that it selects."""


class SeriesName(Link):
    """A measured series of one of the figure's runs."""


class RecordedStep(int):
    """An iteration that one of the figure's runs records."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> "CoreSchema":
        from pydantic_core import core_schema

        return _after(cls, core_schema.int_schema(ge=0, strict=True))


class InOrder:
    """Metadata of a list of two numbers: the second is larger."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> "CoreSchema":
        return _after(_in_order, handler(source))


def _in_order(window: list[RecordedStep]) -> list[RecordedStep]:
    if window[0] >= window[1]:
        raise ValueError(f"needs a first and a later step, got {window}")
    return window


def _after(check: Callable[[Any], Any], schema: "CoreSchema") -> "CoreSchema":
    from pydantic_core import core_schema

    return core_schema.no_info_after_validator_function(check, schema)


PublishedEnds = dict[RunName, dict[ReferenceName, float]]
RunNames = Annotated[list[RunName], MinLen(1)]
ReferenceNames = Annotated[list[ReferenceName], MinLen(1)]
ReferencePair = Annotated[list[ReferenceName], MinLen(2), MaxLen(2)]
References = Annotated[dict[ReferenceName, Exponent], MinLen(1)]
RecordedSteps = Annotated[list[RecordedStep], MinLen(1)]
Window = Annotated[list[RecordedStep], MinLen(2), MaxLen(2), InOrder()]
