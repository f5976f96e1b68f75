"""A paper's file while it is checked: its blocks, what follows from them, and how one that does not fit is refused."""

from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from attention_dynamics import types
from attention_dynamics.pipeline import plugins
from attention_dynamics.pipeline.errors import ConfigError, not_one_of
from attention_dynamics.pipeline.links import links

LMM_SET = "lmm_set"


class Blocks:
    """The blocks of a paper's file.

    shapes: the sizes of each problem; series: the names of what is measured of each run. They are filled in as far as
    the file has been checked.
    """

    def __init__(self, name: str, paper: Any, file: str) -> None:
        self.name, self.paper, self.file = name, paper, file
        self.shapes: dict[str, Any] = {}
        self.series: dict[str, list[str]] = {}

    def fail(self, where: str, what: str) -> NoReturn:
        """Raise ConfigError, naming the file."""
        raise ConfigError(f"{self.file}: {where}: {what}")

    def need(self, name: str, allowed: Iterable[str], where: str) -> None:
        """Raise ConfigError unless a name is one of those allowed."""
        allowed = list(allowed)
        if name not in allowed:
            self.fail(where, not_one_of(name, allowed))

    def shape_of(self, name: str) -> Any:
        """The shape of a run's problem."""
        return self.shapes[self.paper.runs[name].problem]

    def trajectories(self, name: str) -> int:
        """How many trajectories a run has, over all its problems and starts."""
        shape = self.shape_of(name)
        return shape.problems * self.paper.runs[name].columns(shape)

    def references(self, run: Any) -> dict[str, Any]:
        """The references that a run is compared with: its problem's, its own, and those of other runs."""
        borrowed = {name: self.paper.runs[one.run].references[one.reference] for name, one in run.borrowed.items()}
        return self.paper.problems[run.problem].references | run.references | borrowed

    def series_of(self, run: Any) -> list[str]:
        """Names of all series that the run's measures will produce."""
        parameters, references = run.parameters(), self.references(run)
        about = {name: plugins.REFERENCE.constant(r.kind, "PARAMETER") for name, r in references.items()}
        slots = {"{parameter}": parameters, "{reference}": [name for name, p in about.items() if p in parameters]}
        names = [s for measure, _ in run.measured() for s in plugins.MEASURE.constant(measure, "SERIES")]
        for slot, values in slots.items():
            names = [name.replace(slot, value) for name in names for value in (values if slot in name else [""])]
        return names

    def check_links(self, where: str, block: Any, names: list[str], recorded_by: Callable = any) -> None:
        """Every link in a block leads to one of the runs named, or to something that belongs to one of them.

        recorded_by: ``any`` or ``all`` of them need to record the steps in the block.
        """
        runs = {name: self.paper.runs[name] for name in names}
        allowed = {
            types.RunName: names,
            types.ReferenceName: sorted({key for run in runs.values() for key in self.references(run)}),
            types.SeriesName: sorted({s for name in names for s in self.series[name]}),
        }
        for path, value in links(block):
            if not isinstance(value, types.RecordedStep):
                self.need(value, allowed[type(value)], f"{where}{path}")
            elif not recorded_by(run.records(value) for run in runs.values()):
                there = ", ".join(f"{name}: {run.recorded}" for name, run in runs.items())
                self.fail(f"{where}{path}", f"step {value} is not recorded ({there})")
