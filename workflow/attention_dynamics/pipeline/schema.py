"""What a paper's configuration file may say.

The blocks that name a plug-in (``kind``) are unions with one member per plug-in, made from the plug-ins' own
signatures; see ``signatures.py``.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import AfterValidator, BaseModel, Field, create_model, model_validator

from attention_dynamics.block_types import Strict
from attention_dynamics.claims.expectation import Expectation
from attention_dynamics.pipeline import plugins, source
from attention_dynamics.pipeline.run_kinds import AnyRun
from attention_dynamics.pipeline.run_kinds.base import Reference
from attention_dynamics.pipeline.signatures import keyword_arguments
from attention_dynamics.pipeline.unions import any_of, block
from attention_dynamics.types import Count, DataSource, Indices, Name, Over, RunName, SeriesName, Symbol, Vector

SCALES = ("smoke", "laptop", "workstation", "paper")
STATISTICS = source.PACKAGE / "claims" / "statistics.py"

Scale = Literal[SCALES]
Text = Annotated[str, Field(min_length=1)]
Basis = Literal["paper", "authors_code", "derived", "chosen"]
Fidelity = Literal["exact", "declared", "reconstructed", "stand-in", "extension"]


class Settings(Strict):
    """config/config.yaml. shards: into how many jobs each stage of a batch of random problems is split.

    data: where images and texts come from. data_mirror: the folder of a mirror.
    """

    scale: Scale = "laptop"
    shards: Count = 1
    device: Literal["cpu", "cuda"] = "cpu"
    data: DataSource = "embedded"
    data_mirror: str | None = None

    @model_validator(mode="after")
    def _a_mirror_has_a_folder(self) -> Self:
        if (self.data == "mirror") != (self.data_mirror is not None):
            raise ValueError("data: mirror and data_mirror: a folder go together")
        return self


class Problem(Strict):
    """Data, and the reference directions that belong to it.

    references: name -> SVM whose solution runs on this problem are compared with.
    lmm_set: enumerate all locally-optimal directions too.
    """

    references: dict[Name, Reference] = Field(default_factory=dict)
    lmm_set: bool = False


AnyProblem = block(plugins.PROBLEM, Problem)


class Quantity(Strict):
    """Numbers that belong to a reference direction of the run's problem (``margins.references.QUANTITIES``).

    over: all of them, or the smallest or largest of the batch.
    """

    run: RunName
    reference: Name
    quantity: str
    over: Over = "each"


class Versus(Strict):
    """Another run: the ratio of a number to the same number of that run, or their difference."""

    run: RunName
    compare: Literal["ratio", "difference"]


class Series(Strict):
    """What every statistic of a measured series shares.

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


def statistic(name: str) -> type[BaseModel]:
    """The block of a statistic: the series and the statistic's own arguments."""
    arguments = keyword_arguments(STATISTICS, name)
    return create_model(name, __base__=Series, statistic=(Literal[name], ...), **arguments)


def _kind_of_measured(given: Any) -> str:
    keys = given if isinstance(given, Mapping) else ()
    return "Quantity" if isinstance(given, Quantity) or "quantity" in keys or "reference" in keys else "Statistic"


Statistic = any_of({name: statistic(name) for name in plugins.functions(STATISTICS)}, "statistic")
Measured = any_of({"Quantity": Quantity, "Statistic": Statistic}, _kind_of_measured)


class Claim(Strict):
    """What the paper says about a figure, and how it is checked.

    says: the statement. source: where it stands, or where the expected number comes from. basis: what kind of source
    that is. scales, data: where it is judged, and with which source of data sets. explanation: why it failed, if it
    does.
    """

    says: Text
    source: Text
    basis: Basis
    measured: Measured
    expected: Expectation
    scales: Annotated[list[Scale], Field(min_length=1)] = Field(default_factory=lambda: list(SCALES))
    data: Annotated[list[DataSource], Field(min_length=1)] = Field(default_factory=lambda: list(get_args(DataSource)))
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
        problems=(dict[Name, AnyProblem], ...),
        runs=(dict[Name, AnyRun], ...),
        figures=(dict[Name, figure], ...),
    )
