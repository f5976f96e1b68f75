"""What a paper's configuration file may say.

The blocks that name a plug-in (``kind``) are unions with one member per plug-in, made from the plug-ins' own
signatures; see ``plugins.py``.
"""

import math
from collections.abc import Callable, Mapping
from functools import reduce
from operator import or_
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, Discriminator, Field, Tag, create_model, model_validator

from attention_dynamics.claims.expectation import Expectation
from attention_dynamics.pipeline import plugins, source
from attention_dynamics.types import Count, Index, Interval, Name, Positive, RunName, SeriesName, Strict, Vector

SCALES = ("smoke", "laptop", "workstation", "paper")
LARGEST_GRID = 1_000_000
STATISTICS = source.PACKAGE / "claims" / "statistics.py"

Scale = Literal[SCALES]
Text = Annotated[str, Field(min_length=1)]
Precision = Literal["stable", "float64", "float32"]
Basis = Literal["paper", "authors_code", "derived", "chosen"]
Fidelity = Literal["exact", "declared", "reconstructed", "stand-in", "extension"]


def any_of(members: dict[str, Any], key: str | Callable[[Any], str]) -> Any:
    """One of several types, told apart by the value of ``key``, or by a function from what is given to a name."""
    if len(members) == 1:
        return next(iter(members.values()))
    union = reduce(or_, (Annotated[member, Tag(name)] for name, member in members.items()))
    return Annotated[union, Discriminator(key) if callable(key) else Field(discriminator=key)]


def block(kind: plugins.Kind, base: type[BaseModel] = Strict) -> Any:
    """The block of a plug-in: ``kind``, the fields of ``base``, and the plug-in's arguments."""
    names = kind.names()
    return any_of({name: kind.arguments(name, base, kind=(Literal[name], ...)) for name in names}, "kind")


class Settings(Strict):
    """config/config.yaml."""

    scale: Scale = "laptop"
    device: Literal["cpu", "cuda"] = "cpu"


class Grid(Strict):
    """Starts on a grid, ends included: x and y are [low, high]."""

    x: Interval
    y: Interval
    spacing: Positive

    @model_validator(mode="after")
    def _has_points(self) -> Self:
        if self.x[0] > self.x[1] or self.y[0] > self.y[1]:
            raise ValueError("x and y are [low, high]")
        if math.prod((high - low) / self.spacing + 1 for low, high in (self.x, self.y)) > LARGEST_GRID:
            raise ValueError(f"more than {LARGEST_GRID} points, spacing is too small")
        return self


def _same_length(points: list[list[float]]) -> list[list[float]]:
    if len(set(map(len, points))) != 1:
        raise ValueError("all points need the same number of coordinates")
    return points


Points = Annotated[list[Vector], Field(min_length=1), AfterValidator(_same_length)]
Starts = any_of(
    {"Points": Points, "Grid": Grid}, lambda given: "Grid" if isinstance(given, Mapping | Grid) else "Points"
)

Reference = block(plugins.REFERENCE)


class Problem(Strict):
    """Data, and the reference directions that belong to it.

    references: name -> SVM whose solution runs on this problem are compared with.
    lmm_set: enumerate all locally-optimal directions too.
    """

    references: dict[Name, Reference] = Field(default_factory=dict)
    lmm_set: bool = False


Measures = create_model(
    "Measures",
    __base__=Strict,
    **{name: (plugins.MEASURE.arguments(name, Strict) | None, None) for name in plugins.MEASURE.names()},
)


class Run(Strict):
    """One training: a problem, a model, a loss, an optimizer, where it starts and what is measured.

    start: initial points of every trained parameter, in the problem's first coordinates.
    head_optimizer: for v, where it is trained and differs from ``optimizer``.
    counterpart: another run that this one is measured against.
    """

    problem: Name
    model: block(plugins.MODEL)
    loss: Literal[tuple(plugins.LOSS.names())]
    optimizer: block(plugins.OPTIMIZER)
    head_optimizer: block(plugins.OPTIMIZER) | None = None
    start: Annotated[dict[Literal["p", "v"], Starts], Field(min_length=1)]
    steps: Count
    record_every: Count = 1
    precision: Precision = "stable"
    measures: Measures
    counterpart: Name | None = None


class Quantity(Strict):
    """A number that belongs to a reference direction of the run's problem (``margins.references.QUANTITIES``)."""

    run: RunName
    reference: Name
    quantity: str


class Series(Strict):
    """What every statistic of a measured series shares."""

    run: RunName
    series: SeriesName
    minus: SeriesName | None = None
    trajectories: Annotated[list[Index], Field(min_length=1)] | None = None


def statistic(name: str) -> type[BaseModel]:
    """The block of a statistic: the series and the statistic's own arguments."""
    arguments = plugins.keyword_arguments(STATISTICS, name)
    return create_model(name, __base__=Series, statistic=(Literal[name], ...), **arguments)


def _kind_of_measured(given: Any) -> str:
    keys = given if isinstance(given, Mapping) else ()
    return "Quantity" if isinstance(given, Quantity) or "quantity" in keys or "reference" in keys else "Statistic"


Statistic = any_of({name: statistic(name) for name in plugins.functions(STATISTICS)}, "statistic")
Measured = any_of({"Quantity": Quantity, "Statistic": Statistic}, _kind_of_measured)


class Claim(Strict):
    """What the paper says about a figure, and how it is checked.

    says: the statement. source: where it stands, or where the expected number comes from. basis: what kind of source
    that is. scales: where it is judged. explanation: why it failed, if it does.
    """

    says: Text
    source: Text
    basis: Basis
    measured: Measured
    expected: Expectation
    scales: Annotated[list[Scale], Field(min_length=1)] = Field(default_factory=lambda: list(SCALES))
    explanation: str | None = None


def _all_different(names: list[str]) -> list[str]:
    if len(set(names)) != len(names):
        raise ValueError("a run is listed twice")
    return names


class Figure(Strict):
    """A figure: which runs it shows and what they must have done.

    title: printed on the figure. shows: one line for tables. note: what differs from the paper, printed with the
    fidelity.
    """

    title: Text
    shows: Text
    fidelity: Fidelity
    note: str = ""
    runs: Annotated[list[Name], Field(min_length=1), AfterValidator(_all_different)]
    claims: dict[Name, Claim] = Field(default_factory=dict)


def paper_file(paper: str) -> type[BaseModel]:
    """The schema of config/<paper>.yaml, after merging and with the figures' own runs moved to ``runs``."""
    plots = plugins.plot(paper)
    figure = create_model("Figure", __base__=Figure, plot=(block(plots), ...))
    return create_model(
        "PaperFile",
        __base__=Strict,
        title=(Text, ...),
        arxiv=(Text, ...),
        problems=(dict[Name, block(plugins.PROBLEM, Problem)], ...),
        runs=(dict[Name, Run], ...),
        figures=(dict[Name, figure], ...),
    )
