"""Checks across the blocks (problems, runs, figures) of a paper's files: names, shapes, memory and recorded steps."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NoReturn

from attention_dynamics.choices import format_wrong_choice
from attention_dynamics.claims.expected import expected_file, read_expected
from attention_dynamics.config.errors import ConfigError
from attention_dynamics.config.experiment import LAPTOP, SMOKE, experiment_digest, published_digests
from attention_dynamics.config.memory import estimate_memory
from attention_dynamics.config.name_references import blocks_of_runs, name_references
from attention_dynamics.config.paper import SHARED_FILE, Paper
from attention_dynamics.config.schema import Figure, FigureFile, ProblemConfig, RunConfig, Settings
from attention_dynamics.config.yaml_file import load_yaml
from attention_dynamics.margins.reference import QUANTITIES, Reference
from attention_dynamics.measures.measure import Measure
from attention_dynamics.plots.plot import plot_function, plot_module, takes_one_run
from attention_dynamics.problems.shape import Shape, TokenShape
from attention_dynamics.problems.stored import DATA
from attention_dynamics.registry import find_files
from attention_dynamics.training import IncompatibleRunError, require_data
from attention_dynamics.types import (
    NameReference,
    OwnReferenceName,
    RecordedStep,
    ReferenceName,
    RunName,
    SeriesName,
)

# Reserved name of a reference: the set of all locally-optimal max-margin (LMM) directions of a problem.
LMM_SET = "lmm_set"
# Functions that the module of a plot must define beside ``draw`` if its figure is a table: ``tabulate`` returns a table
# of the runs as a DataFrame, and ``readable`` returns this table with its cells formatted as text.
TABLE_FUNCTIONS = ("tabulate", "readable")


class PaperChecker:
    """Checker of the blocks of a paper's files. Its ``check`` raises ConfigError for the first block that is wrong.

    shapes: problem -> its shape. series: run -> the names of its measured series. ``check`` fills both.
    """

    def __init__(self, paper: Paper, settings: Settings) -> None:
        self.paper, self.settings, self.file = paper, settings, SHARED_FILE
        self.shapes: dict[str, Shape] = {}
        self.series: dict[str, list[str]] = {}

    def check(self) -> None:
        """Check all blocks, the files of expected numbers and the examples of the interactive page."""
        for content in self._files():
            for name, problem in content.problems.items():
                self.shapes[name] = self._check_problem(f"problems.{name}", problem)
        for content in self._files():
            for name, run in content.runs.items():
                self._check_run(f"runs.{name}", run)
                self.series[name] = self.series_names(run)
        for content in self._files():
            for name, figure in content.figures.items():
                self._check_figure(f"figures.{name}", figure)
            self._check_expected(content)
        self._check_examples()

    def _files(self) -> Iterator[FigureFile]:
        """Yield the content of each file. Keep the name of the current file in ``self.file``, for messages."""
        for name, content in self.paper.files.items():
            self.file = name
            yield content

    def fail(self, where: str, what: str) -> NoReturn:
        """Raise ConfigError with the current file, the place in it, and what is wrong."""
        raise ConfigError(f"{self.paper.display_paths[self.file]}: {where}: {what}")

    def require(self, name: Any, allowed: Iterable[Any], where: str) -> None:
        """Raise ConfigError, with the current file and the place in it, unless a name is in ``allowed``."""
        _require(name, allowed, f"{self.paper.display_paths[self.file]}: {where}")

    def _visible_names(self, part: str) -> list[str]:
        """Return the names of the problems or runs that the current file can use: its own, and those of shared.yaml.

        part: "problems" or "runs".
        """
        return [*getattr(self.paper.files[self.file], part), *getattr(self.paper.files[SHARED_FILE], part)]

    def _require_visible(self, part: str, name: str, where: str, fitting: Iterable[str] | None = None) -> None:
        """Raise ConfigError unless a problem or run is defined in the current file or in shared.yaml, and is allowed.

        part: "problems" or "runs". fitting: the allowed names; if None, all names that the file can use.
        """
        visible = self._visible_names(part)
        allowed = visible if fitting is None else list(fitting)
        if name not in visible and name in getattr(self.paper, part):
            there = Path(self.paper.display_paths[self.paper.file_of(part, name)]).name
            self.fail(where, f"{name!r} belongs to {there}; move it to {SHARED_FILE}.yaml, which all figures can use")
        if name not in visible and (other := self._other_paper(part, name)):
            self.fail(where, f"{name!r} belongs to paper {other}; copy its block to this paper, or this one to {other}")
        self.require(name, dict.fromkeys(allowed), where)

    def _other_paper(self, part: str, name: str) -> str | None:
        """Return the name of another paper of this configuration with a problem or run of this name, or None."""
        folder = self.paper.folder
        for file in find_files(folder.parent, "*/*.yaml"):
            if file.parent != folder and name in (load_yaml(file).get(part) or {}):
                return file.parent.name
        return None

    def _check_problem(self, where: str, problem: ProblemConfig) -> Shape:
        try:
            shape = problem.source.shape
        except ValueError as error:
            self.fail(where, str(error))
        if shape.data not in DATA:
            what = f"{problem.source.kind} builds data of kind {shape.data!r}, which is not one of {', '.join(DATA)}"
            self.fail(f"{where}.kind", what)
        if not isinstance(shape, TokenShape):
            if problem.references or problem.lmm_set:
                key = "references" if problem.references else LMM_SET
                self.fail(f"{where}.{key}", f"is only for problems with tokens, and this one has {shape.data}")
            return shape
        if not shape.inputs:
            self.fail(where, "has no inputs: constraints of tokens need T of at least 2")
        if problem.lmm_set:
            self._require_other_tokens(f"{where}.{LMM_SET}", "p", shape)
        for key, reference in problem.references.items():
            place = f"{where}.references.{key}"
            self._require_other_tokens(place, reference.parameter, shape)
            if key == LMM_SET:
                self.fail(place, "this name is reserved for the set of all LMM directions")
            select = reference.select
            if not isinstance(select, str) and (len(select) != shape.inputs or max(select) >= shape.tokens):
                what = f"needs {shape.inputs} token indices below {shape.tokens}, got {list(select)}"
                self.fail(f"{place}.select", what)
        if problem.lmm_set and (shape.problems > 1 or not shape.fixed_head):
            self.fail(f"{where}.{LMM_SET}", "needs a single problem with a fixed head")
        return shape

    def _require_other_tokens(self, where: str, parameter: str, shape: TokenShape) -> None:
        if parameter == "p" and shape.tokens == 1:
            self.fail(where, "inputs have a single token (T = 1), and there is none to separate it from")

    def _check_run(self, where: str, run: RunConfig) -> None:
        self._require_visible("problems", run.problem, f"{where}.problem")
        problem, shape = self.paper.problems[run.problem], self.shapes[run.problem]
        visible = {name: self.paper.runs[name] for name in self._visible_names("runs")}
        others = {name: other for name, other in visible.items() if other.problem == run.problem and other is not run}
        if pretrained := getattr(run.training, "pretrained", None):
            weights = {name: other.training for name, other in others.items() if other.training.provides_weights}
            self._require_visible("runs", pretrained, f"{where}.pretrained", weights)
            sizes, wanted = run.training.sizes, weights[pretrained].sizes
            if sizes != wanted:
                what = f"has sizes {sizes}, but run {pretrained}, whose weights it loads, has {wanted}"
                self.fail(f"{where}.network", what)
        try:
            require_data(shape, run.training.data)
            if run.references and not isinstance(shape, TokenShape):
                raise IncompatibleRunError("references", "this kind of run cannot have references")
            run.training.check(shape)
            if run.references and run.training.columns(shape) > 1:
                what = "needs a run with one start, because the selected tokens depend on the start"
                raise IncompatibleRunError("references", what)
        except IncompatibleRunError as error:
            # The training, which wrote the message, does not know the name of its problem.
            self.fail(f"{where}.{error.key}", str(error).replace("the problem", f"problem {run.problem}"))
        memory = estimate_memory(shape, run.training, min(self.settings.shards, problem.source.max_shards)) / 1e9
        if memory > self.settings.max_memory_gb:
            fewer = "record less often, or take fewer steps, problems or starts, or more shards"
            limit = f"max_memory_gb: {self.settings.max_memory_gb:g}"
            self.fail(where, f"a job needs about {memory:,.0f} GB of memory, more than {limit}; {fewer}")
        for name, reference in run.references.items():
            place = f"{where}.references.{name}"
            if isinstance(shape, TokenShape):
                self._require_other_tokens(place, reference.parameter, shape)
            if name in [*problem.references, LMM_SET]:
                self.fail(place, f"this name is taken by a reference of problem {run.problem}")
            if not reference.follows_selection:
                self.fail(place, f"{reference.kind} cannot be a reference of a run; add it to a problem")
            if reference.select != "optimal":
                self.fail(place, "remove select: a reference of a run is about the tokens that the run selects")
        for name, external in run.external_references.items():
            place = f"{where}.external_references.{name}"
            self._require_visible("runs", external.run, f"{place}.run", others)
            self.require(external.reference, self.paper.runs[external.run].references, f"{place}.reference")
            if name in [*problem.references, *run.references, LMM_SET]:
                self.fail(place, "this name is taken by another reference of the run")
        owners: dict[str, str] = {}
        for name, measure in run.measures.items():
            self._check_measure(f"{where}.measures.{name}", measure, run)
            for series in self._series_of(measure, run):
                if series in owners:
                    self.fail(f"{where}.measures", f"{owners[series]} and {name} both have the series {series}")
                owners[series] = name

    def _check_measure(self, where: str, measure: Measure, run: RunConfig) -> None:
        there = self.shapes[run.problem].data
        if there not in measure.data:
            self.fail(where, f"measures {' or '.join(measure.data)}, but problem {run.problem} has {there}")
        try:
            measure.check(run.training)
        except ValueError as error:
            self.fail(where, str(error))
        for path, value in name_references(measure):
            if isinstance(value, OwnReferenceName):
                self.require(value, run.references, f"{where}{path}")
            elif isinstance(value, ReferenceName):
                self.require(value, self._references(run), f"{where}{path}")

    def _check_figure(self, where: str, figure: Figure) -> None:
        for name in figure.runs:
            self._require_visible("runs", name, f"{where}.runs")
        if is_table(where.rpartition(".")[2]):
            module = plot_module(figure.plot.kind)
            if missing := [name for name in TABLE_FUNCTIONS if not hasattr(module, name)]:
                self.fail(f"{where}.plot", f"{module.__file__} does not define {missing[0]}, which tables need")
        if len(figure.runs) > 1 and takes_one_run(plot_function(figure.plot.kind)):
            self.fail(f"{where}.runs", f"{figure.plot.kind} draws one run, not {len(figure.runs)}")
        settings = figure.plot.settings
        self._check_names(f"{where}.plot", settings, figure.runs)
        for path, block, names in blocks_of_runs(settings):
            self._check_names(f"{where}.plot{path}", block, names, recorded_by=all)

    def _check_names(
        self, where: str, block: Any, names: Iterable[str], recorded_by: Callable[[Iterable[bool]], bool] = any
    ) -> None:
        """Raise ConfigError if a block names a run, series, reference or recorded step that the given runs do not have.

        names: names of these runs. recorded_by: ``any`` if it is enough that one of the runs records a step, ``all`` if
        every run must record it.
        """
        runs = {name: self.paper.runs[name] for name in names}
        allowed: dict[type[NameReference], list[str]] = {
            RunName: list(names),
            ReferenceName: sorted({key for run in runs.values() for key in self._references(run)}),
            SeriesName: sorted({s for name in names for s in self.series[name]}),
        }
        for path, value in name_references(block):
            if not isinstance(value, RecordedStep):
                self.require(value, allowed[type(value)], f"{where}{path}")
            elif not recorded_by(run.training.records_step(value) for run in runs.values()):
                there = ", ".join(f"{name}: {run.training.record_schedule}" for name, run in runs.items())
                self.fail(f"{where}{path}", f"step {value} is not recorded ({there})")

    def _check_expected(self, content: FigureFile) -> None:
        """Raise ConfigError, with file and line, for an expected number of an unknown figure, run or series.

        Also raise it for an expected number at a step that is not recorded, if ``_is_as_computed`` is True.
        """
        if not (file := expected_file(self.paper.name, self.file)):
            return
        try:
            for row in read_expected(file):
                _require(row.figure, content.figures, f"{row.place}: figure")
                _require(row.run, content.figures[row.figure].runs, f"{row.place}: run")
                run = self.paper.runs[row.run]
                name, dot, quantity = row.series.partition(".")
                _require(name, self._references(run) if dot else self.series[row.run], f"{row.place}: series")
                if dot:
                    _require(quantity, QUANTITIES, f"{row.place}: series")
                # If a user has shortened the experiment, runs may end before an expected step; that is not an error.
                recorded = all(run.training.records_step(step) for step in row.steps)
                if not recorded and self._is_as_computed(row.figure):
                    raise ValueError(f"{row.place}: step: is not recorded ({run.training.record_schedule})")
        except ValueError as error:
            raise ConfigError(str(error)) from None

    def _check_examples(self) -> None:
        """Raise ConfigError if an example of the interactive page has an unknown figure or a run not in this figure."""
        self.file = SHARED_FILE
        for figure, example in self.paper.explore.items():
            self.require(figure, self.paper.figures, "explore")
            self.require(example.run, self.paper.figures[figure].runs, f"explore.{figure}.run")

    def _is_as_computed(self, figure: str) -> bool:
        """Return whether a figure has the experiment that its expected numbers were computed with.

        The result is False at smoke scale. At other scales it is also True for a figure without a published digest,
        such as a figure of a plug-in.
        """
        known = published_digests().get(LAPTOP, {}).get(f"{self.paper.name}/{figure}")
        return self.settings.scale != SMOKE and known in (None, experiment_digest(self.paper, figure))

    def _references(self, run: RunConfig) -> dict[str, Reference]:
        """Return the references that a run is compared with, by name: those of its problem, its own, external ones."""
        external = {
            name: self.paper.runs[one.run].references[one.reference] for name, one in run.external_references.items()
        }
        return self.paper.problems[run.problem].references | run.references | external

    def series_names(self, run: RunConfig) -> list[str]:
        """Return the names of all series that the run's measures will produce."""
        return [name for measure in run.measures.values() for name in self._series_of(measure, run)]

    def _series_of(self, measure: Measure, run: RunConfig) -> list[str]:
        parameters, references = run.training.parameters, self._references(run)
        directed = {"p" if name == "W" else name for name in parameters}
        about = [name for name, reference in references.items() if reference.parameter in directed]
        slots = {"{parameter}": list(parameters), "{reference}": about}
        names = list(measure.series)
        for slot, values in slots.items():
            names = [name.replace(slot, value) for name in names for value in (values if slot in name else [""])]
        return names


def _require(name: Any, allowed: Iterable[Any], where: str) -> None:
    """Raise ConfigError, beginning with ``where``, unless a name is in ``allowed``."""
    allowed = list(allowed)
    if name not in allowed:
        raise ConfigError(f"{where}: {format_wrong_choice(name, allowed)}")


def is_table(figure: str) -> bool:
    """Return whether a figure is a table: names of tables begin with ``table_``."""
    return figure.startswith("table_")
