"""Schema of the configuration: the settings, and the blocks of a paper's files."""

import os.path
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    SerializationInfo,
    ValidationInfo,
    model_serializer,
    model_validator,
)
from pydantic.types import Strict

from attention_dynamics.attention.losses.loss import Loss
from attention_dynamics.attention.models.model import Model
from attention_dynamics.choices import format_choices, format_wrong_choice
from attention_dynamics.deep.networks import Network
from attention_dynamics.deep.optim import DeepOptimizer
from attention_dynamics.margins.reference import Reference
from attention_dynamics.measures.measure import Measure
from attention_dynamics.optim.optimizer import Optimizer
from attention_dynamics.plots.plot import (
    PlotSettings,
    UnknownPlotError,
    modules_of_paper,
    papers,
    plot_function,
    settings_type,
)
from attention_dynamics.problems.source import ProblemSource
from attention_dynamics.registry import Component, Frozen
from attention_dynamics.training import Training
from attention_dynamics.types import DataSource, Name, Positive, Probability

# Base classes of the components that a configuration names by ``kind``.
BASES: tuple[type[Component], ...] = (
    ProblemSource, Reference, Model, Loss, Optimizer, Network, DeepOptimizer, Measure, Training,
)  # fmt: skip
Scale = Literal["smoke", "laptop", "workstation", "paper"]
Text = Annotated[str, Field(min_length=1)]
Fidelity = Literal["exact", "declared", "reconstructed", "stand-in", "extension"]
# With more shards there would be more jobs than Snakemake can plan in minutes.
MAX_SHARDS = 1000


class Settings(Frozen):
    """The settings in config/config.yaml.

    shards: number of jobs that each stage of a batch of random problems is split into. device, precision: where and in
    which number format networks are trained; bfloat16 is automatic mixed precision, on a GPU only. data: source of
    images and texts. data_mirror: path of the folder for the source "mirror"; it may begin with ``~``. max_memory_gb: a
    run is refused if one of its jobs would need more memory.
    """

    scale: Scale = "laptop"
    shards: Annotated[int, Field(ge=1, le=MAX_SHARDS)] = 1
    device: Literal["cpu", "cuda"] = "cpu"
    precision: Literal["float32", "bfloat16"] = "float32"
    data: DataSource = "embedded"
    data_mirror: Annotated[str, AfterValidator(os.path.expanduser)] | None = None
    max_memory_gb: Positive = 4.0

    @model_validator(mode="after")
    def _mixed_precision_needs_gpu(self) -> Self:
        if self.precision == "bfloat16" and self.device != "cuda":
            raise ValueError(f"precision: bfloat16 needs device: cuda, got device: {self.device}")
        return self

    @model_validator(mode="after")
    def _mirror_needs_folder(self) -> Self:
        if (self.data == "mirror") != (self.data_mirror is not None):
            raise ValueError("data: mirror and data_mirror: <folder> must be set together")
        return self


class Split(Frozen):
    """A block with two groups of keys on one level: its own, and those of the component in the field named SPLIT."""

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

    references: name -> max-margin program. Runs on this problem are compared with its solution.
    lmm_set: also compute the set of all locally-optimal max-margin (LMM) directions.
    """

    SPLIT: ClassVar[str] = "source"

    source: ProblemSource
    references: dict[Name, Reference] = Field(default_factory=dict)
    lmm_set: bool = False


class ExternalReference(Frozen):
    """A reference of another run on the same problem, for the tokens that this other run selects.

    run: name of the other run. reference: name among its ``references``.
    """

    run: Name
    reference: Name


def _with_kinds(given: Any) -> Any:
    """Return measures with their kind, which is their key: ``{norm: {}}`` becomes ``{norm: {kind: norm}}``."""
    if not isinstance(given, Mapping):
        return given
    for name, one in given.items():
        if isinstance(one, str) or (isinstance(one, Mapping) and "kind" in one):
            raise ValueError(f"{name}: must be a mapping of settings without kind, because the key is the kind")
    return {name: {"kind": name, **one} if isinstance(one, Mapping) else one for name, one in given.items()}


Measures = Annotated[dict[str, Measure], BeforeValidator(_with_kinds)]


class RunConfig(Split):
    """A training on a problem, and what is measured of it.

    references: name -> support vector machine (SVM) that separates the tokens that the softmax selects at the last
        recorded step from the other tokens. It is added to the problem's references, and computed only for problems
        whose softmax is saturated. external_references: name -> reference of another run on the same problem.
    saturated: a softmax counts as saturated if its largest probability, averaged over the inputs, is at least this.
    """

    SPLIT: ClassVar[str] = "training"

    training: Training
    problem: Name
    measures: Measures
    references: dict[Name, Reference] = Field(default_factory=dict)
    external_references: dict[Name, ExternalReference] = Field(default_factory=dict)
    saturated: Probability = 0.99999


def _check_unique(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(names)) != len(names):
        raise ValueError("a run is listed twice")
    return names


class Plot(Frozen):
    """A plot: ``kind``, and on the same level the settings of that plot.

    kind: "<paper>.<module>.<function>", a function in papers/, or "<module>.<function>" of the file's own paper. The
    default is ``draw`` in the module that has the name of the file.
    """

    kind: str
    settings: PlotSettings

    @model_validator(mode="before")
    @classmethod
    def _find(cls, block: Any, info: ValidationInfo) -> Any:
        if not isinstance(block, Mapping):
            return block
        kind, settings = cls.resolve(block, info.context)
        return {"kind": kind, "settings": settings.model_validate({k: v for k, v in block.items() if k != "kind"})}

    @classmethod
    def resolve(cls, block: Mapping[str, Any], context: Any) -> tuple[str, type[PlotSettings]]:
        """Return the full kind of a block, and the type of the settings beside it.

        context: the names of the paper and of the file that the block is in. Raises ValueError for an unknown kind.
        """
        paper, file = context
        given = block.get("kind", f"{file}.draw")
        if not isinstance(given, str) or len(parts := given.split(".")) not in (2, 3):
            raise ValueError(f"kind: {given!r} is not <module>.<function> or <paper>.<module>.<function>")
        kind = ".".join([paper, *parts][-3:])
        try:
            return kind, settings_type(plot_function(kind))
        except UnknownPlotError as error:
            if error.part == paper and len(parts) == 2:
                # ``kind`` names no paper, so the paper is the folder of the file. Suggest plots of other papers.
                others = [f"{other}.{name}.draw" for other in papers() for name in modules_of_paper(other)]
                known = format_choices(
                    f"{paper}.{given}", [other for other in others if parts[0] in other] or others[:3]
                )
                what = f"paper {paper} has no drawing {given!r}, and none of its own; another paper's is"
                raise ValueError(f"kind: {what} {known}") from None
            raise ValueError(f"kind: {format_wrong_choice(error.part, error.allowed)} (in {kind})") from None
        except TypeError as error:
            raise ValueError(f"kind: {error}") from None

    @model_serializer
    def _join(self, info: SerializationInfo) -> dict[str, Any]:
        return {"kind": self.kind, **self.settings.model_dump(mode=info.mode)}


class Figure(Frozen):
    """A figure: its runs, its texts and its plot.

    title: the result, above the figure on the web. shows: what is drawn, in one line. note: what differs from the
    paper. All three are in the caption, and may name numbers of the experiment, as in ``{random_small.steps}``.
    asserts: ids of the statements of the paper that the title asserts; none may be in doubt.
    measured: the figure shows measured times, so its files differ when it is computed again; the manifest says so
    instead of giving their SHA-256s.
    panels: letter -> panel, a figure that inherits the keys it does not set: panel ``a`` of ``fig4`` is ``fig4a``.
    """

    COMPOSED: ClassVar[tuple[str, ...]] = ("panels",)

    title: Text
    shows: Text
    fidelity: Fidelity
    note: str = ""
    asserts: Annotated[tuple[str, ...], Strict(False)] = ()
    measured: bool = False
    runs: Annotated[tuple[Name, ...], Strict(False), Field(min_length=1), AfterValidator(_check_unique)]
    plot: Plot


class FigureFile(Frozen):
    """config/<paper>/<file>.yaml, after merging: some figures, and the problems and runs that only they use.

    COMPOSED: keys of the YAML file that are merged into the fields before validation; ``Figure.COMPOSED`` lists those
    of a figure.
    """

    COMPOSED: ClassVar[tuple[str, ...]] = ("defaults", "scales")

    problems: dict[Name, ProblemConfig] = Field(default_factory=dict)
    runs: dict[Name, RunConfig] = Field(default_factory=dict)
    figures: dict[Name, Figure] = Field(default_factory=dict)


class Example(Frozen):
    """A run whose data and settings the interactive page offers.

    where: setting -> value. If the run has a batch of problems, the page shows the first one with these values.
    """

    run: Name
    where: dict[str, float] = Field(default_factory=dict)


class SharedFile(FigureFile):
    """config/<paper>/shared.yaml: the paper, and what several files use.

    arxiv: number of the paper on arXiv, empty if it has none. explore: figure -> example of the interactive page.
    """

    title: str = ""
    arxiv: str = ""
    explore: dict[Name, Example] = Field(default_factory=dict)
