"""The vocabulary of parameter types: annotations in code, checks on the configuration.

A plug-in declares what may be configured as keyword-only arguments; ``signatures.py`` looks their annotations up
here by name and never imports the plug-in.
"""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints
from pydantic_core import CoreSchema, core_schema

NAME = r"^[a-z][a-z0-9_]*$"


class Strict(BaseModel):
    """A block of the configuration: unknown keys, infinities and silent conversions are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


Positive = Annotated[float, Field(gt=0)]
NonNegative = Annotated[float, Field(ge=0)]
Exponent = Annotated[float, Field(gt=1, le=10)]
Probability = Annotated[float, Field(ge=0, le=1)]
Flags = Annotated[list[bool], Field(min_length=1)]
Count = Annotated[int, Field(ge=1)]
VocabularySize = Annotated[int, Field(ge=4)]
Counts = Annotated[list[Count], Field(min_length=1)]
Index = Annotated[int, Field(ge=0)]
Indices = Annotated[list[Index], Field(min_length=1)]
Seed = Annotated[int, Field(ge=0)]
Seeds = Annotated[list[Seed], Field(min_length=1)]
Labels = Annotated[list[Annotated[str, Field(min_length=1)]], Field(min_length=1)]
NonNegatives = Annotated[list[NonNegative], Field(min_length=1)]
Exponents = Exponent | Annotated[list[Exponent], Field(min_length=1)]
Positives = Annotated[list[Positive], Field(min_length=1)]
PerStart = Positive | Annotated[list[Positive], Field(min_length=1)]
Grid = Positive | Annotated[list[Positive], Field(min_length=1)]
Name = Annotated[str, StringConstraints(pattern=NAME)]
Symbol = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_]*$")]
Label = Literal[-1, 1]
Precision = Literal["stable", "float64", "float32"]
DataSource = Literal["embedded", "mirror", "official"]
Time = Literal["linear", "log", "log_log", "cube_root"]
Rate = Literal["one", "log", "log_to_three_quarters", "log_over_log_log", "t_over_log_squared"]
Over = Literal["min", "max", "mean", "each"]
Point = Annotated[list[float], Field(min_length=2, max_length=2)]
Cell = Annotated[list[Index], Field(min_length=2, max_length=2)]
Interval = Annotated[list[float], Field(min_length=2, max_length=2)]
Points = Annotated[list[Point], Field(min_length=1)]
Vector = Annotated[list[float], Field(min_length=1)]


class Link(str):
    """A name of something defined elsewhere in the same file; that it is there is checked for every link."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> CoreSchema:
        return core_schema.no_info_after_validator_function(cls, core_schema.str_schema(pattern=NAME, strict=True))


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
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> CoreSchema:
        return core_schema.no_info_after_validator_function(cls, core_schema.int_schema(ge=0, strict=True))


def _in_order(window: list[RecordedStep]) -> list[RecordedStep]:
    if window[0] >= window[1]:
        raise ValueError(f"needs a first and a later step, got {window}")
    return window


PublishedEnds = dict[RunName, dict[ReferenceName, float]]
RunNames = Annotated[list[RunName], Field(min_length=1)]
References = Annotated[dict[ReferenceName, Exponent], Field(min_length=1)]
RecordedSteps = Annotated[list[RecordedStep], Field(min_length=1)]
Window = Annotated[list[RecordedStep], Field(min_length=2, max_length=2), AfterValidator(_in_order)]


class ScoredInput(Strict):
    """One input of a planar problem: token positions, their scores (a number or a setting's name), a label."""

    tokens: Points
    scores: Annotated[list[float | Symbol], Field(min_length=1)]
    label: Label = 1


class LabelledInput(Strict):
    """One input of a planar problem whose head is trained: token positions and a label."""

    tokens: Points
    label: Label


class Fit(Strict):
    """A line fitted to a curve of a panel: over which steps, as a function of what; log: of the curve's logarithm.

    label: on which side of it its slope is printed.
    """

    run: RunName
    window: Window
    time: Time = "linear"
    log: bool = True
    label: Literal["above", "below"] = "above"


class CurvePanel(Strict):
    """One panel of curves over the iterations: a series, on a logarithmic axis or not, and lines fitted to it.

    exp: the series is a logarithm; show what it is of.
    """

    title: str
    series: SeriesName
    exp: bool = False
    log: bool = False
    ylim: Interval | None = None
    fits: list[Fit] = []


class PathPanel(Strict):
    """One panel of a path through a plane: a run, limits of the axes, iterations to mark with arrows.

    head_arrows: such iterations for the path of the head, where it is drawn too.
    """

    run: RunName
    xlim: Interval
    ylim: Interval
    arrows: list[RecordedStep] = []
    head_arrows: list[RecordedStep] = []


class GrowthPanel(Strict):
    """One panel of closed forms: a run, a title, and labels of its curves with {eta_Y} and {eta_Z} in them."""

    run: RunName
    title: str
    labels: str


class RunPanel(Strict):
    """One panel of a run, up to one of its records."""

    run: RunName
    title: str
    until: RecordedStep


class StepPanel(Strict):
    """One panel of runs at one of their records."""

    runs: RunNames
    step: RecordedStep
    title: str = ""


TokenRange = Annotated[list[Index], Field(min_length=2, max_length=2)]
GrowthPanels = Annotated[list[GrowthPanel], Field(min_length=1)]
RunPanels = Annotated[list[RunPanel], Field(min_length=1)]
StepPanels = Annotated[list[StepPanel], Field(min_length=1)]
PathPanels = Annotated[list[PathPanel], Field(min_length=1)]
CurvePanels = Annotated[list[CurvePanel], Field(min_length=1)]


Selection = Literal["optimal"] | Indices


class DirectionPanel(Strict):
    """One panel of a comparison of runs: cosine with a reference for some of their trajectories."""

    title: str
    runs: Annotated[list[RunName], Field(min_length=1)]
    reference: ReferenceName
    trajectories: Indices = [0]
    ylim: Interval


DirectionPanels = Annotated[list[DirectionPanel], Field(min_length=1)]
