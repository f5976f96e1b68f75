"""Checks across the blocks of a paper's file: names that must exist, shapes that must fit, numbers in range."""

from typing import Any

from attention_dynamics import types
from attention_dynamics.pipeline import plugins
from attention_dynamics.pipeline.blocks import LMM_SET, Blocks
from attention_dynamics.pipeline.claim_checks import ClaimChecker
from attention_dynamics.pipeline.links import blocks_of_runs, links
from attention_dynamics.pipeline.run_kinds.base import Misfit

# Runs that leave weights to others, and the vocabularies of texts that they are for.
PRETRAINING = {
    "masked_language_modelling": ("pieces", "bert-base-uncased"), "published_weights": ("bert-base-uncased",),
}  # fmt: skip
# What the plot of a table has beside ``draw``: the table, from the runs, and the same as texts for people.
TABULATING = ("tabulate", "readable")
OWN_REFERENCES = ("attention_svm", "lp_attention_svm", "label_svm", "lp_label_svm")


class PaperChecker(Blocks):
    """Holds a paper's file while its blocks are checked one by one; raises ConfigError for the first that is wrong."""

    def __init__(self, name: str, paper: Any, file: str) -> None:
        super().__init__(name, paper, file)
        self.claims = ClaimChecker(self)

    def check(self) -> None:
        """Check every block."""
        self.shapes = {name: self._shape(name, problem) for name, problem in self.paper.problems.items()}
        for name, run in self.paper.runs.items():
            self._check_run(f"runs.{name}", run)
        self.series = {name: self.series_of(run) for name, run in self.paper.runs.items()}
        for name, figure in self.paper.figures.items():
            self._check_figure(f"figures.{name}", figure)

    def _shape(self, name: str, problem: Any) -> Any:
        where = f"problems.{name}"
        try:
            shape = plugins.PROBLEM.load(problem.kind).shape(**arguments(problem, "kind", "references", LMM_SET))
        except ValueError as error:
            self.fail(where, str(error))
        for key, reference in problem.references.items():
            if key == LMM_SET:
                self.fail(f"{where}.references.{key}", "this name is taken by the set of all LMM directions")
            select = getattr(reference, "select", "optimal")
            if select != "optimal" and (len(select) != shape.inputs or max(select) >= shape.tokens):
                what = f"need {shape.inputs} token indices below {shape.tokens}, got {select}"
                self.fail(f"{where}.references.{key}.select", what)
        if shape.data != "tokens" and problem.references:
            self.fail(f"{where}.references", f"this kind of problem, made of {shape.data}, has none")
        if problem.lmm_set and (shape.data != "tokens" or shape.problems > 1 or not shape.fixed_head):
            self.fail(f"{where}.{LMM_SET}", "needs a single problem with a fixed head")
        return shape

    def _check_run(self, where: str, run: Any) -> None:
        self.need(run.problem, self.paper.problems, f"{where}.problem")
        problem = self.paper.problems[run.problem]
        if run.counterpart:
            same = [
                name for name, other in self.paper.runs.items() if other.problem == run.problem and other is not run
            ]
            self.need(run.counterpart, same, f"{where}.counterpart")
        if pretrained := getattr(run, "pretrained", None):
            same = [n for n, one in self.paper.runs.items() if one.problem == run.problem and one.kind in PRETRAINING]
            self.need(pretrained, same, f"{where}.pretrained")
            there = self.paper.runs[pretrained].sizes()
            if run.sizes() != there:
                self.fail(f"{where}.network", f"has sizes {run.sizes()}, run {pretrained} {there}")
        shape = self.shapes[run.problem]
        try:
            run.check_data(shape)
            run.check(shape)
        except Misfit as error:
            self.fail(f"{where}.{error.key}", str(error))
        if run.kind in PRETRAINING:
            self.need(problem.vocabulary, PRETRAINING[run.kind], f"{where}: problems.{run.problem}.vocabulary")
        for name, reference in run.references.items():
            if name in [*problem.references, LMM_SET]:
                self.fail(f"{where}.references.{name}", f"this name is taken by a reference of problem {run.problem}")
            if reference.kind not in OWN_REFERENCES or reference.select != "optimal":
                what = f"a run's own references are {', '.join(OWN_REFERENCES)} without select"
                self.fail(f"{where}.references.{name}", what)
        for name, loan in run.borrowed.items():
            lenders = [key for key, one in self.paper.runs.items() if one.problem == run.problem and one is not run]
            self.need(loan.run, lenders, f"{where}.borrowed.{name}.run")
            self.need(loan.reference, self.paper.runs[loan.run].references, f"{where}.borrowed.{name}.reference")
            if name in [*problem.references, *run.references, LMM_SET]:
                self.fail(f"{where}.borrowed.{name}", "this name is taken by another reference of the run")
        for name, measure in run.measured():
            self._check_measure(f"{where}.measures.{name}", name, run)
            for path, value in links(measure):
                if isinstance(value, types.OwnReferenceName):
                    self.need(value, run.references, f"{where}.measures.{name}{path}")
                elif isinstance(value, types.ReferenceName):
                    self.need(value, self.references(run), f"{where}.measures.{name}{path}")

    def _check_measure(self, where: str, name: str, run: Any) -> None:
        data = plugins.MEASURE.constant(name, "DATA", default=("tokens",))
        there = self.shapes[run.problem].data
        if there not in data:
            self.fail(where, f"is for runs on {' or '.join(data)}, problem {run.problem} has {there}")
        for key in plugins.MEASURE.constant(name, "NEEDS", default=()):
            if key not in type(run).model_fields:
                self.fail(where, f"is for runs that have {key}, those of kind {run.kind} have none")
        observed = plugins.MEASURE.constant(name, "OBSERVED", default="")
        if observed and observed not in getattr(run, "observe", ()):
            self.fail(where, f"needs observe: [{observed}]")

    def _check_figure(self, where: str, figure: Any) -> None:
        if is_table(where.rpartition(".")[2]):
            self._check_table(f"{where}.plot", figure.plot.kind)
        for name in figure.runs:
            self.need(name, self.paper.runs, f"{where}.runs")
        self.check_links(f"{where}.plot", figure.plot, figure.runs)
        for path, block, names in blocks_of_runs(figure.plot):
            self.check_links(f"{where}.plot{path}", block, names, recorded_by=all)
        for key, claim in figure.claims.items():
            self.claims.check(f"{where}.claims.{key}", claim, figure.runs)

    def _check_table(self, where: str, plot: str) -> None:
        defined = plugins.functions(plugins.plot(self.name).file(plot))
        if missing := [name for name in TABULATING if name not in defined]:
            self.fail(where, f"{plot} does not define {missing[0]}, which tables need")


def check_paper(name: str, paper: Any, file: str) -> None:
    """Raise ConfigError for the first thing in a paper's file that does not fit the rest of it."""
    PaperChecker(name, paper, file).check()


def is_table(figure: str) -> bool:
    """Whether the figure of this name is a table."""
    return figure.startswith("table_")


def arguments(block: Any, *but: str) -> dict[str, Any]:
    """The block as plain values, without some keys."""
    return {key: value for key, value in block.model_dump(mode="json").items() if key not in but}
