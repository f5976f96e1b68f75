"""A paper's file while it is checked: its blocks, what follows from them, and how one that does not fit is refused."""

from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from attention_dynamics.config.errors import ConfigError, not_one_of
from attention_dynamics.config.name_references import name_references
from attention_dynamics.config.schema import RunConfig
from attention_dynamics.margins.reference import Reference
from attention_dynamics.problems.shape import Shape
from attention_dynamics.types import NameReference, RecordedStep, ReferenceName, RunName, SeriesName

LMM_SET = "lmm_set"


class PaperContext:
    """The blocks of a paper's file.

    shapes: the shape of each problem; series: the names of what is measured of each run. They are filled in as far as
    the file has been checked.
    """

    def __init__(self, name: str, paper: Any, file: str) -> None:
        self.name, self.paper, self.file = name, paper, file
        self.shapes: dict[str, Shape] = {}
        self.series: dict[str, list[str]] = {}

    def fail(self, where: str, what: str) -> NoReturn:
        """Raise ConfigError, naming the file."""
        raise ConfigError(f"{self.file}: {where}: {what}")

    def need(self, name: Any, allowed: Iterable[Any], where: str) -> None:
        """Raise ConfigError unless a name is one of those allowed."""
        allowed = list(allowed)
        if name not in allowed:
            self.fail(where, not_one_of(name, allowed))

    def shape_of(self, name: str) -> Shape:
        """Return the shape of a run's problem."""
        return self.shapes[self.paper.runs[name].problem]

    def starts(self, name: str) -> int:
        """Return how many trajectories a run has for each of its problems."""
        return int(self.paper.runs[name].training.columns(self.shape_of(name)))

    def trajectories(self, name: str) -> int:
        """Return how many trajectories a run has, over all its problems and starts."""
        return self.shape_of(name).problems * self.starts(name)

    def references(self, run: RunConfig) -> dict[str, Reference]:
        """Return the references that a run is compared with: its problem's, its own, and those of other runs."""
        external = {
            name: self.paper.runs[one.run].references[one.reference] for name, one in run.external_references.items()
        }
        return self.paper.problems[run.problem].references | run.references | external

    def series_of(self, run: RunConfig) -> list[str]:
        """Return the names of all series that the run's measures will produce."""
        parameters, references = run.training.parameters, self.references(run)
        about = [name for name, reference in references.items() if reference.parameter in parameters]
        slots = {"{parameter}": list(parameters), "{reference}": about}
        names = [series for measure in run.measures.values() for series in measure.series]
        for slot, values in slots.items():
            names = [name.replace(slot, value) for name in names for value in (values if slot in name else [""])]
        return names

    def check_names(
        self, where: str, block: Any, names: list[str], recorded_by: Callable[[Iterable[bool]], bool] = any
    ) -> None:
        """Raise ConfigError unless every name in a block is that of one of the runs named, or of something of theirs.

        recorded_by: ``any`` or ``all`` of them need to record the steps in the block.
        """
        runs = {name: self.paper.runs[name] for name in names}
        allowed: dict[type[NameReference], list[str]] = {
            RunName: names,
            ReferenceName: sorted({key for run in runs.values() for key in self.references(run)}),
            SeriesName: sorted({s for name in names for s in self.series[name]}),
        }
        for path, value in name_references(block):
            if not isinstance(value, RecordedStep):
                self.need(value, allowed[type(value)], f"{where}{path}")
            elif not recorded_by(run.training.records(value) for run in runs.values()):
                there = ", ".join(f"{name}: {run.training.recorded}" for name, run in runs.items())
                self.fail(f"{where}{path}", f"step {value} is not recorded ({there})")
