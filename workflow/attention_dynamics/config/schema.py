"""Schema of the configuration: the settings, and the blocks of a paper's file."""

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, Self, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Discriminator,
    Field,
    Tag,
    create_model,
    model_serializer,
    model_validator,
)
from pydantic.types import Strict

from attention_dynamics.claims.expectation import Expectation
from attention_dynamics.config.signatures import STATISTICS, keyword_arguments, plot_arguments, statistics
from attention_dynamics.margins.reference import Reference
from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.source import ProblemSource
from attention_dynamics.registry import Component, Frozen
from attention_dynamics.training import Training
from attention_dynamics.types import (
    Count,
    DataSource,
    Indices,
    Name,
    Over,
    Probability,
    RunName,
    SeriesName,
    Symbol,
    Vector,
)

Scale = Literal["smoke", "laptop", "workstation", "paper"]
SCALES = get_args(Scale)
Text = Annotated[str, Field(min_length=1)]
Basis = Literal["paper", "authors_code", "derived", "chosen"]
Fidelity = Literal["exact", "declared", "reconstructed", "stand-in", "extension"]


class Settings(Frozen):
    """config/config.yaml. shards: into how many jobs each stage of a batch of random problems is split.

    data: where images and texts come from. data_mirror: the folder of a mirror.
    """

    scale: Scale = "laptop"
    shards: Count = 1
    device: Literal["cpu", "cuda"] = "cpu"
    data: DataSource = "embedded"
    data_mirror: str | None = None

    @model_validator(mode="after")
    def _mirror_needs_folder(self) -> Self:
        if (self.data == "mirror") != (self.data_mirror is not None):
            raise ValueError("data: mirror and data_mirror: a folder go together")
        return self


class Split(Frozen):
    """A block whose keys are the fields of the class and, beside them, those of the component in the field SPLIT."""

    SPLIT: ClassVar[str]

    @model_validator(mode="before")
    @classmethod
    def _separate_component(cls, block: Any) -> Any:
        if not isinstance(block, Mapping) or isinstance(block.get(cls.SPLIT), Component):
            return block
        own = {key: value for key, value in block.items() if key in cls.model_fields and key != cls.SPLIT}
        return {**own, cls.SPLIT: {key: value for key, value in block.items() if key not in own}}

    @model_serializer(mode="wrap")
    def _join_component(self, serialize: Any) -> dict[str, Any]:
        fields = serialize(self)
        return {**fields.pop(self.SPLIT), **fields}


class ProblemConfig(Split):
    """Data, and the reference directions that belong to it.

    references: name -> max-margin program whose solution runs on this problem are compared with.
    lmm_set: enumerate all locally-optimal directions too.
    """

    SPLIT: ClassVar[str] = "source"

    source: ProblemSource
    references: dict[Name, Reference] = Field(default_factory=dict)
    lmm_set: bool = False


class ExternalReference(Frozen):
    """A reference of the tokens that another run on the same problem selects."""

    run: Name
    reference: Name


def _with_kinds(given: Any) -> Any:
    """Measures are named by their kind: ``{norm: {}}``."""
    if not isinstance(given, Mapping):
        return given
    for name, one in given.items():
        if isinstance(one, str) or (isinstance(one, Mapping) and "kind" in one):
            raise ValueError(f"{name}: needs a mapping of settings without kind; the key is the kind")
    return {name: {"kind": name, **one} if isinstance(one, Mapping) else one for name, one in given.items()}


Measures = Annotated[dict[str, Measure], BeforeValidator(_with_kinds)]


class RunConfig(Split):
    """A training on a problem, and what is measured of it.

    references: SVMs of the tokens that the softmax selects at the last record, for problems in which it is saturated;
        by name, beside the problem's own. external_references: such references of other runs.
    saturated: mean over the inputs of the largest probability from which on a softmax counts as saturated.
    baseline: another run on the same problem that this one is measured against.
    """

    SPLIT: ClassVar[str] = "training"

    training: Training
    problem: Name
    measures: Measures
    references: dict[Name, Reference] = Field(default_factory=dict)
    external_references: dict[Name, ExternalReference] = Field(default_factory=dict)
    saturated: Probability = 0.99999
    baseline: Name | None = None


class Quantity(Frozen):
    """Numbers that belong to a reference direction of the run's problem (``margins.references.QUANTITIES``).

    over: all of them, or the smallest or largest of the batch.
    """

    run: RunName
    reference: Name
    quantity: str
    over: Over = "each"


class Versus(Frozen):
    """Another run: the ratio of a number to the same number of that run, or their difference."""

    run: RunName
    compare: Literal["ratio", "difference"]


class Series(Frozen):
    """Keys that every statistic of a measured series shares.

    minus: a series to subtract. versus: compare the numbers with those of another run. trajectories: only these columns
    (a column per problem and start). starts: only these starts of every problem.
    where: only problems with one of these values of a setting. among: only those in which this series ends at one.
    by: the statistic for each value of this setting, in increasing order. each_start: for each start, or for each of
    its numbers where the series has several. differences: of one such number to the next.
    """

    run: RunName
    series: SeriesName
    minus: SeriesName | None = None
    versus: Versus | None = None
    trajectories: Indices | None = None
    starts: Indices | None = None
    where: dict[Symbol, Vector] | None = None
    among: SeriesName | None = None
    by: Symbol | None = None
    each_start: bool = False
    differences: bool = False


def _statistic(name: str) -> type[BaseModel]:
    """The block of a statistic: the series and the statistic's own arguments."""
    fields: dict[str, Any] = {"statistic": (Literal[name], ...), **keyword_arguments(STATISTICS, name)}
    return create_model(name, __base__=Series, **fields)


def tagged_union(members: Mapping[str, Any], discriminator: Any) -> Any:
    """One of several types, told apart by the value of a key, or by a function from what is given to a name."""
    union: Any = None
    for name, member in members.items():
        union = Annotated[member, Tag(name)] if union is None else union | Annotated[member, Tag(name)]
    if len(members) == 1:
        return next(iter(members.values()))
    return Annotated[
        union, Discriminator(discriminator) if callable(discriminator) else Field(discriminator=discriminator)
    ]


def _kind_of_measured(given: Any) -> str:
    keys = given if isinstance(given, Mapping) else ()
    return "Quantity" if isinstance(given, Quantity) or "quantity" in keys or "reference" in keys else "Statistic"


Statistic = tagged_union({name: _statistic(name) for name in statistics()}, "statistic")
Measured = tagged_union({"Quantity": Quantity, "Statistic": Statistic}, _kind_of_measured)


class Claim(Frozen):
    """Statement about a figure, and how it is checked.

    says: the statement. source: where it stands, or where the expected number comes from. basis: what kind of source
    that is. scales, data: where it is judged, and with which source of data sets. explanation: why it failed, if it
    does.
    """

    says: Text
    source: Text
    basis: Basis
    measured: Measured  # type: ignore[valid-type] # a union that is made of the statistics
    expected: Expectation
    scales: Annotated[tuple[Scale, ...], Strict(False), Field(min_length=1)] = get_args(Scale)
    data: Annotated[tuple[DataSource, ...], Strict(False), Field(min_length=1)] = get_args(DataSource)
    explanation: str | None = None


def _all_different(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(names)) != len(names):
        raise ValueError("a run is listed twice")
    return names


class Figure(Frozen):
    """A figure: which runs it shows and what they must have done.

    title: printed on the figure. shows: one line for tables. note: what differs from the paper, printed with the
    fidelity.
    """

    title: Text
    shows: Text
    fidelity: Fidelity
    note: str = ""
    runs: Annotated[tuple[Name, ...], Strict(False), Field(min_length=1), AfterValidator(_all_different)]
    claims: dict[Name, Claim] = Field(default_factory=dict)


def _plot_block(paper: str, name: str) -> type[BaseModel]:
    fields: dict[str, Any] = {"kind": (Literal[name], ...), **plot_arguments(paper, name)}
    return create_model(name, __base__=Frozen, **fields)


@cache
def paper_file(paper: str, plots: tuple[str, ...]) -> type[BaseModel]:
    """Return the schema of config/<paper>.yaml, after merging and with the figures' own runs moved to ``runs``.

    plots: names of the paper's plots.
    """
    blocks = {name: _plot_block(paper, name) for name in plots}
    figure = create_model("Figure", __base__=Figure, plot=(tagged_union(blocks, "kind"), ...))
    return create_model(
        "PaperFile",
        __base__=Frozen,
        title=(Text, ...),
        arxiv=(Text, ...),
        problems=(dict[Name, ProblemConfig], ...),
        runs=(dict[Name, RunConfig], ...),
        figures=(dict[Name, figure], ...),
    )
