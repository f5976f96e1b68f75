"""Checks across the blocks of a paper: names that must exist, shapes that must fit, numbers in range."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NoReturn

from attention_dynamics.choices import not_one_of
from attention_dynamics.config.errors import ConfigError
from attention_dynamics.config.name_references import blocks_of_runs, name_references
from attention_dynamics.config.paper import SHARED, Paper
from attention_dynamics.config.schema import Figure, FigureFile, ProblemConfig, RunConfig
from attention_dynamics.margins.reference import Reference
from attention_dynamics.measures.measure import Measure
from attention_dynamics.plots.plot import plot_module
from attention_dynamics.problems.shape import Shape, TokenShape
from attention_dynamics.problems.stored import DATA
from attention_dynamics.training import IncompatibleRunError, need_data
from attention_dynamics.types import (
    NameReference,
    OwnReferenceName,
    RecordedStep,
    ReferenceName,
    RunName,
    SeriesName,
)

# The name of all locally-optimal max-margin directions of a problem among its references.
LMM_SET = "lmm_set"
# What the module of a table has beside ``draw``: the table, from the runs, and the same as texts for people.
TABULATING = ("tabulate", "readable")


class PaperChecker:
    """Holds a paper while its blocks are checked one by one; raises ConfigError for the first that is wrong.

    shapes: the shape of each problem; series: the names of what is measured of each run.
    """

    def __init__(self, paper: Paper) -> None:
        self.paper, self.file = paper, SHARED
        self.shapes: dict[str, Shape] = {}
        self.series: dict[str, list[str]] = {}

    def check(self) -> None:
        """Check every block."""
        for content in self._files():
            for name, problem in content.problems.items():
                self.shapes[name] = self._check_problem(f"problems.{name}", problem)
        for content in self._files():
            for name, run in content.runs.items():
                self._check_run(f"runs.{name}", run)
                self.series[name] = self._series_of(run)
        for content in self._files():
            for name, figure in content.figures.items():
                self._check_figure(f"figures.{name}", figure)

    def _files(self) -> Iterator[FigureFile]:
        """Yield the files one by one, and remember which one is being checked."""
        for name, content in self.paper.files.items():
            self.file = name
            yield content

    def fail(self, where: str, what: str) -> NoReturn:
        """Raise ConfigError, naming the file."""
        raise ConfigError(f"{self.paper.places[self.file]}: {where}: {what}")

    def need(self, name: Any, allowed: Iterable[Any], where: str) -> None:
        """Raise ConfigError unless a name is one of those allowed."""
        allowed = list(allowed)
        if name not in allowed:
            self.fail(where, not_one_of(name, allowed))

    def _visible(self, part: str) -> list[str]:
        """Return the names of the problems or runs of the same file and of shared.yaml."""
        return [*getattr(self.paper.files[self.file], part), *getattr(self.paper.files[SHARED], part)]

    def _need_visible(self, part: str, name: str, where: str, fitting: Iterable[str] | None = None) -> None:
        """Raise ConfigError unless a problem or run is defined in the same file or in shared.yaml.

        fitting: those that are allowed, if not all of them are.
        """
        visible = self._visible(part)
        allowed = visible if fitting is None else list(fitting)
        if name not in visible and name in getattr(self.paper, part):
            there = Path(self.paper.places[self.paper.file_of(part, name)]).name
            self.fail(where, f"{name!r} belongs to {there}; move it to {SHARED}.yaml, which all figures can use")
        self.need(name, dict.fromkeys(allowed), where)

    def _check_problem(self, where: str, problem: ProblemConfig) -> Shape:
        shape = problem.source.shape
        if shape.data not in DATA:
            what = f"{problem.source.kind} makes {shape.data!r}, which is not one of {', '.join(DATA)}"
            self.fail(f"{where}.kind", what)
        if not isinstance(shape, TokenShape):
            if problem.references or problem.lmm_set:
                key = "references" if problem.references else LMM_SET
                self.fail(f"{where}.{key}", f"this kind of problem, made of {shape.data}, has none")
            return shape
        for key, reference in problem.references.items():
            if key == LMM_SET:
                self.fail(f"{where}.references.{key}", "this name is taken by the set of all LMM directions")
            select = reference.select
            if not isinstance(select, str) and (len(select) != shape.inputs or max(select) >= shape.tokens):
                what = f"need {shape.inputs} token indices below {shape.tokens}, got {list(select)}"
                self.fail(f"{where}.references.{key}.select", what)
        if problem.lmm_set and (shape.problems > 1 or not shape.fixed_head):
            self.fail(f"{where}.{LMM_SET}", "needs a single problem with a fixed head")
        return shape

    def _check_run(self, where: str, run: RunConfig) -> None:
        self._need_visible("problems", run.problem, f"{where}.problem")
        problem, shape = self.paper.problems[run.problem], self.shapes[run.problem]
        visible = {name: self.paper.runs[name] for name in self._visible("runs")}
        others = {name: other for name, other in visible.items() if other.problem == run.problem and other is not run}
        if run.baseline:
            self._need_visible("runs", run.baseline, f"{where}.baseline", others)
        if pretrained := getattr(run.training, "pretrained", None):
            weights = {name: other.training for name, other in others.items() if other.training.provides_weights}
            self._need_visible("runs", pretrained, f"{where}.pretrained", weights)
            sizes, wanted = run.training.sizes, weights[pretrained].sizes
            if sizes != wanted:
                self.fail(f"{where}.network", f"has sizes {sizes}, run {pretrained} {wanted}")
        try:
            need_data(shape, run.training.data)
            if run.references and not isinstance(shape, TokenShape):
                raise IncompatibleRunError("references", "there are none for this kind of run")
            run.training.check(shape)
            if run.references and run.training.columns(shape) > 1:
                what = "the selected tokens are those of one start, this run has several"
                raise IncompatibleRunError("references", what)
        except IncompatibleRunError as error:
            # A training knows no names.
            self.fail(f"{where}.{error.key}", str(error).replace("the problem", f"problem {run.problem}"))
        for name, reference in run.references.items():
            if name in [*problem.references, LMM_SET]:
                self.fail(f"{where}.references.{name}", f"this name is taken by a reference of problem {run.problem}")
            if not reference.follows_selection:
                self.fail(f"{where}.references.{name}", f"{reference.kind} is not for the tokens that a run selects")
            if reference.select != "optimal":
                self.fail(f"{where}.references.{name}", "is of the tokens that the run selects, without select")
        for name, external in run.external_references.items():
            self._need_visible("runs", external.run, f"{where}.external_references.{name}.run", others)
            there = self.paper.runs[external.run].references
            self.need(external.reference, there, f"{where}.external_references.{name}.reference")
            if name in [*problem.references, *run.references, LMM_SET]:
                self.fail(f"{where}.external_references.{name}", "this name is taken by another reference of the run")
        for name, measure in run.measures.items():
            self._check_measure(f"{where}.measures.{name}", measure, run)

    def _check_measure(self, where: str, measure: Measure, run: RunConfig) -> None:
        there = self.shapes[run.problem].data
        if there not in measure.data:
            self.fail(where, f"is for runs on {' or '.join(measure.data)}, problem {run.problem} has {there}")
        try:
            measure.check(run.training)
        except ValueError as error:
            self.fail(where, str(error))
        for path, value in name_references(measure):
            if isinstance(value, OwnReferenceName):
                self.need(value, run.references, f"{where}{path}")
            elif isinstance(value, ReferenceName):
                self.need(value, self._references(run), f"{where}{path}")

    def _check_figure(self, where: str, figure: Figure) -> None:
        for name in figure.runs:
            self._need_visible("runs", name, f"{where}.runs")
        if is_table(where.rpartition(".")[2]):
            module = plot_module(figure.plot.kind)
            if missing := [name for name in TABULATING if not hasattr(module, name)]:
                self.fail(f"{where}.plot", f"{module.__file__} does not define {missing[0]}, which tables need")
        settings = figure.plot.settings
        self._check_names(f"{where}.plot", settings, figure.runs)
        for path, block, names in blocks_of_runs(settings):
            self._check_names(f"{where}.plot{path}", block, names, recorded_by=all)

    def _check_names(
        self, where: str, block: Any, names: Iterable[str], recorded_by: Callable[[Iterable[bool]], bool] = any
    ) -> None:
        """Raise ConfigError unless every name in a block is that of one of the runs named, or of something of theirs.

        recorded_by: ``any`` or ``all`` of them need to record the steps in the block.
        """
        runs = {name: self.paper.runs[name] for name in names}
        allowed: dict[type[NameReference], list[str]] = {
            RunName: list(names),
            ReferenceName: sorted({key for run in runs.values() for key in self._references(run)}),
            SeriesName: sorted({s for name in names for s in self.series[name]}),
        }
        for path, value in name_references(block):
            if not isinstance(value, RecordedStep):
                self.need(value, allowed[type(value)], f"{where}{path}")
            elif not recorded_by(run.training.records(value) for run in runs.values()):
                there = ", ".join(f"{name}: {run.training.recorded}" for name, run in runs.items())
                self.fail(f"{where}{path}", f"step {value} is not recorded ({there})")

    def _references(self, run: RunConfig) -> dict[str, Reference]:
        """Return the references that a run is compared with: its problem's, its own, and those of other runs."""
        external = {
            name: self.paper.runs[one.run].references[one.reference] for name, one in run.external_references.items()
        }
        return self.paper.problems[run.problem].references | run.references | external

    def _series_of(self, run: RunConfig) -> list[str]:
        """Return the names of all series that the run's measures will produce."""
        parameters, references = run.training.parameters, self._references(run)
        about = [name for name, reference in references.items() if reference.parameter in parameters]
        slots = {"{parameter}": list(parameters), "{reference}": about}
        names = [series for measure in run.measures.values() for series in measure.series]
        for slot, values in slots.items():
            names = [name.replace(slot, value) for name in names for value in (values if slot in name else [""])]
        return names


def check_paper(paper: Paper) -> None:
    """Raise ConfigError for the first thing in a paper's files that does not fit the rest of them."""
    PaperChecker(paper).check()


def is_table(figure: str) -> bool:
    """Return whether the figure of this name is a table."""
    return figure.startswith("table_")
