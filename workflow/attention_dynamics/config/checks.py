"""Checks across the blocks of a paper's file: names that must exist, shapes that must fit, numbers in range."""

from typing import Any

from attention_dynamics.config.claim_checks import ClaimChecker
from attention_dynamics.config.name_references import blocks_of_runs, name_references
from attention_dynamics.config.paper_context import LMM_SET, PaperContext
from attention_dynamics.config.schema import ProblemConfig, RunConfig
from attention_dynamics.config.signatures import functions, plot_file
from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.shape import Shape, TokenShape
from attention_dynamics.problems.stored import DATA
from attention_dynamics.training import IncompatibleRunError, need_data
from attention_dynamics.types import OwnReferenceName, ReferenceName

# What the plot of a table has beside ``draw``: the table, from the runs, and the same as texts for people.
TABULATING = ("tabulate", "readable")


class PaperChecker(PaperContext):
    """Holds a paper's file while its blocks are checked one by one; raises ConfigError for the first that is wrong."""

    def __init__(self, name: str, paper: Any, file: str) -> None:
        super().__init__(name, paper, file)
        self.claims = ClaimChecker(self)

    def check(self) -> None:
        """Check every block."""
        self.shapes = {name: self._check_problem(name, problem) for name, problem in self.paper.problems.items()}
        for name, run in self.paper.runs.items():
            self._check_run(f"runs.{name}", run)
        self.series = {name: self.series_of(run) for name, run in self.paper.runs.items()}
        for name, figure in self.paper.figures.items():
            self._check_figure(f"figures.{name}", figure)

    def _check_problem(self, name: str, problem: ProblemConfig) -> Shape:
        where, shape = f"problems.{name}", problem.source.shape
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
        self.need(run.problem, self.paper.problems, f"{where}.problem")
        problem, shape = self.paper.problems[run.problem], self.shapes[run.problem]
        others = {
            name: other for name, other in self.paper.runs.items() if other.problem == run.problem and other is not run
        }
        if run.baseline:
            self.need(run.baseline, others, f"{where}.baseline")
        if pretrained := getattr(run.training, "pretrained", None):
            weights = {name: other.training for name, other in others.items() if other.training.provides_weights}
            self.need(pretrained, weights, f"{where}.pretrained")
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
            self.need(external.run, others, f"{where}.external_references.{name}.run")
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
                self.need(value, self.references(run), f"{where}{path}")

    def _check_figure(self, where: str, figure: Any) -> None:
        if is_table(where.rpartition(".")[2]):
            self._check_table(f"{where}.plot", figure.plot.kind)
        for name in figure.runs:
            self.need(name, self.paper.runs, f"{where}.runs")
        self.check_names(f"{where}.plot", figure.plot, figure.runs)
        for path, block, names in blocks_of_runs(figure.plot):
            self.check_names(f"{where}.plot{path}", block, names, recorded_by=all)
        for key, claim in figure.claims.items():
            self.claims.check(f"{where}.claims.{key}", claim, figure.runs)

    def _check_table(self, where: str, plot: str) -> None:
        defined = functions(plot_file(self.name, plot))
        if missing := [name for name in TABULATING if name not in defined]:
            self.fail(where, f"{plot} does not define {missing[0]}, which tables need")


def check_paper(name: str, paper: Any, file: str) -> None:
    """Raise ConfigError for the first thing in a paper's file that does not fit the rest of it."""
    PaperChecker(name, paper, file).check()


def is_table(figure: str) -> bool:
    """Return whether the figure of this name is a table."""
    return figure.startswith("table_")
