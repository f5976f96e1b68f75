"""Checks across the blocks of a paper's file: names that must exist, shapes that must fit, numbers in range."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from attention_dynamics import types
from attention_dynamics.pipeline import plugins, source
from attention_dynamics.pipeline.errors import ConfigError, not_one_of
from attention_dynamics.pipeline.links import blocks_of_runs, links
from attention_dynamics.pipeline.run_kinds.base import Misfit
from attention_dynamics.pipeline.schema import Quantity

LMM_SET = "lmm_set"
# Runs that leave weights to others, and the vocabularies of texts that they are for.
PRETRAINING = {
    "masked_language_modelling": ("pieces", "bert-base-uncased"), "published_weights": ("bert-base-uncased",),
}  # fmt: skip
# What the plot of a table has beside ``draw``: the table, from the runs, and the same as texts for people.
TABULATING = ("tabulate", "readable")
OWN_REFERENCES = ("attention_svm", "lp_attention_svm", "label_svm", "lp_label_svm")
REFERENCES = f"{source.NAME}.margins.references"
STATISTICS = f"{source.NAME}.claims.statistics"


class PaperChecker:
    """Holds a paper's file while its blocks are checked one by one; raises ConfigError for the first that is wrong."""

    def __init__(self, name: str, paper: Any, file: str) -> None:
        self.name, self.paper, self.file = name, paper, file

    def check(self) -> None:
        """Check every block."""
        self.shapes = {name: self._shape(name, problem) for name, problem in self.paper.problems.items()}
        for name, run in self.paper.runs.items():
            self._check_run(f"runs.{name}", run)
        self.series = {name: self._series(run) for name, run in self.paper.runs.items()}
        for name, figure in self.paper.figures.items():
            self._check_figure(f"figures.{name}", figure)

    def _fail(self, where: str, what: str) -> None:
        raise ConfigError(f"{self.file}: {where}: {what}")

    def _need(self, name: str, allowed: Iterable[str], where: str) -> None:
        allowed = list(allowed)
        if name not in allowed:
            self._fail(where, not_one_of(name, allowed))

    def _shape(self, name: str, problem: Any) -> Any:
        where = f"problems.{name}"
        try:
            shape = plugins.PROBLEM.load(problem.kind).shape(**arguments(problem, "kind", "references", LMM_SET))
        except ValueError as error:
            self._fail(where, str(error))
        for key, reference in problem.references.items():
            if key == LMM_SET:
                self._fail(f"{where}.references.{key}", "this name is taken by the set of all LMM directions")
            select = getattr(reference, "select", "optimal")
            if select != "optimal" and (len(select) != shape.inputs or max(select) >= shape.tokens):
                what = f"need {shape.inputs} token indices below {shape.tokens}, got {select}"
                self._fail(f"{where}.references.{key}.select", what)
        if shape.data != "tokens" and problem.references:
            self._fail(f"{where}.references", f"this kind of problem, made of {shape.data}, has none")
        if problem.lmm_set and (shape.data != "tokens" or shape.problems > 1 or not shape.fixed_head):
            self._fail(f"{where}.{LMM_SET}", "needs a single problem with a fixed head")
        return shape

    def _check_run(self, where: str, run: Any) -> None:
        self._need(run.problem, self.paper.problems, f"{where}.problem")
        problem = self.paper.problems[run.problem]
        if run.counterpart:
            same = [
                name for name, other in self.paper.runs.items() if other.problem == run.problem and other is not run
            ]
            self._need(run.counterpart, same, f"{where}.counterpart")
        if pretrained := getattr(run, "pretrained", None):
            same = [n for n, one in self.paper.runs.items() if one.problem == run.problem and one.kind in PRETRAINING]
            self._need(pretrained, same, f"{where}.pretrained")
            there = self.paper.runs[pretrained].sizes()
            if run.sizes() != there:
                self._fail(f"{where}.network", f"has sizes {run.sizes()}, run {pretrained} {there}")
        shape = self.shapes[run.problem]
        try:
            run.check_data(shape)
            run.check(shape)
        except Misfit as error:
            self._fail(f"{where}.{error.key}", str(error))
        if run.kind in PRETRAINING:
            self._need(problem.vocabulary, PRETRAINING[run.kind], f"{where}: problems.{run.problem}.vocabulary")
        for name, reference in run.references.items():
            if name in [*problem.references, LMM_SET]:
                self._fail(f"{where}.references.{name}", f"this name is taken by a reference of problem {run.problem}")
            if reference.kind not in OWN_REFERENCES or reference.select != "optimal":
                what = f"a run's own references are {', '.join(OWN_REFERENCES)} without select"
                self._fail(f"{where}.references.{name}", what)
        for name, loan in run.borrowed.items():
            lenders = [key for key, one in self.paper.runs.items() if one.problem == run.problem and one is not run]
            self._need(loan.run, lenders, f"{where}.borrowed.{name}.run")
            self._need(loan.reference, self.paper.runs[loan.run].references, f"{where}.borrowed.{name}.reference")
            if name in [*problem.references, *run.references, LMM_SET]:
                self._fail(f"{where}.borrowed.{name}", "this name is taken by another reference of the run")
        for name, measure in run.measured():
            self._check_measure(f"{where}.measures.{name}", name, run)
            for path, value in links(measure):
                if isinstance(value, types.OwnReferenceName):
                    self._need(value, run.references, f"{where}.measures.{name}{path}")
                elif isinstance(value, types.ReferenceName):
                    self._need(value, self._references(run), f"{where}.measures.{name}{path}")

    def _check_measure(self, where: str, name: str, run: Any) -> None:
        data = plugins.MEASURE.constant(name, "DATA", default=("tokens",))
        there = self.shapes[run.problem].data
        if there not in data:
            self._fail(where, f"is for runs on {' or '.join(data)}, problem {run.problem} has {there}")
        for key in plugins.MEASURE.constant(name, "NEEDS", default=()):
            if key not in type(run).model_fields:
                self._fail(where, f"is for runs that have {key}, those of kind {run.kind} have none")
        observed = plugins.MEASURE.constant(name, "OBSERVED", default="")
        if observed and observed not in getattr(run, "observe", ()):
            self._fail(where, f"needs observe: [{observed}]")

    def _check_figure(self, where: str, figure: Any) -> None:
        if is_table(where.rpartition(".")[2]):
            self._check_table(f"{where}.plot", figure.plot.kind)
        for name in figure.runs:
            self._need(name, self.paper.runs, f"{where}.runs")
        self._check_links(f"{where}.plot", figure.plot, figure.runs)
        for path, block, names in blocks_of_runs(figure.plot):
            self._check_links(f"{where}.plot{path}", block, names, recorded_by=all)
        for key, claim in figure.claims.items():
            self._check_claim(f"{where}.claims.{key}.measured", claim.measured, figure.runs)
            share = getattr(claim.measured, "statistic", None) == "share"
            shares = share and not (claim.measured.differences or claim.measured.versus)
            if claim.expected.like is not None and not shares:
                self._fail(f"{where}.claims.{key}.expected.like", "only shares can be compared with those of samples")
            if getattr(claim.measured, "by", None):
                self._check_count(f"{where}.claims.{key}.expected", claim)

    def _check_table(self, where: str, plot: str) -> None:
        defined = plugins.functions(plugins.plot(self.name).file(plot))
        if missing := [name for name in TABULATING if name not in defined]:
            self._fail(where, f"{plot} does not define {missing[0]}, which tables need")

    def _check_claim(self, where: str, measured: Any, runs: list[str]) -> None:
        self._need(measured.run, runs, f"{where}.run")
        versus = getattr(measured, "versus", None)
        if versus:
            self._need(versus.run, runs, f"{where}.versus.run")
            if measured.differences:
                self._fail(f"{where}.differences", "these are not compared with those of another run")
            self._check_versus(where, measured, (measured.run, versus.run))
            measured = measured.model_copy(update={"versus": None})
            self._check_claim(where, measured.model_copy(update={"run": versus.run}), runs)
        self._check_links(where, measured, [measured.run])
        run = self.paper.runs[measured.run]
        if isinstance(measured, Quantity):
            lmm_set = [LMM_SET] if self.paper.problems[run.problem].lmm_set else []
            self._need(measured.reference, [*self._references(run), *lmm_set], f"{where}.reference")
            table = "LMM_QUANTITIES" if measured.reference == LMM_SET else "QUANTITIES"
            self._need(measured.quantity, source.constant(REFERENCES, table), f"{where}.quantity")
            return
        shape = self.shapes[run.problem]
        for key, count in {"trajectories": self._trajectories(measured.run), "starts": run.columns(shape)}.items():
            if getattr(measured, key) and max(getattr(measured, key)) >= count:
                self._fail(f"{where}.{key}", f"run {measured.run} has {count} {key}, counted from 0")
        for setting, values in (measured.where or {}).items():
            self._need(setting, shape.settings, f"{where}.where")
            for value in values:
                self._need(value, shape.settings[setting], f"{where}.where.{setting}")
        if measured.by:
            self._need(measured.by, shape.settings, f"{where}.by")
        if measured.differences and not (measured.by or measured.each_start):
            self._fail(f"{where}.differences", "these are of a number to that of the next group: give by or each_start")
        if measured.by and measured.each_start:
            self._fail(f"{where}.each_start", "give this or by, not both")

    def _check_count(self, where: str, claim: Any) -> None:
        """A list of expected numbers has one for each group of problems, where the statistic gives one for each."""
        measured = claim.measured
        together = measured.statistic in source.constant(STATISTICS, "TOGETHER")
        if hasattr(measured, "at") or not (together or getattr(measured, "over", "each") != "each"):
            return
        count = len(self._groups(measured, measured.run)) - measured.differences
        for form in ("equals", "near", "like", "of"):
            given = getattr(claim.expected, form)
            if isinstance(given, list) and len(given) != count:
                self._fail(f"{where}.{form}", f"{len(given)} numbers, but {count} are measured, by {measured.by}")

    def _groups(self, measured: Any, name: str) -> list[float]:
        """For which values of the setting ``by`` a claim has numbers of a run."""
        kept = (measured.where or {}).get(measured.by)
        return sorted({v for v in self._shape_of(name).settings.get(measured.by, ()) if not kept or v in kept})

    def _check_versus(self, where: str, measured: Any, names: tuple[str, str]) -> None:
        """What is measured of one run is as much as of the other."""
        if measured.statistic not in source.constant(STATISTICS, "TOGETHER"):
            self._need_same(
                f"{where}.versus", "as many trajectories", {name: self._trajectories(name) for name in names}
            )
        if measured.by:
            groups = {name: tuple(self._groups(measured, name)) for name in names}
            self._need_same(f"{where}.by", "the same groups", groups)
        if measured.each_start:
            starts = {name: self.paper.runs[name].columns(self._shape_of(name)) for name in names}
            self._need_same(f"{where}.each_start", "as many starts", starts)

    def _need_same(self, where: str, what: str, of_runs: Mapping[str, Any]) -> None:
        if len(set(of_runs.values())) != 1:
            there = " and ".join(f"{name} has {value}" for name, value in of_runs.items())
            self._fail(where, f"the two runs need {what}, {there}")

    def _trajectories(self, name: str) -> int:
        """How many trajectories a run has, over all its problems and starts."""
        shape = self._shape_of(name)
        return shape.problems * self.paper.runs[name].columns(shape)

    def _shape_of(self, name: str) -> Any:
        """The shape of a run's problem."""
        return self.shapes[self.paper.runs[name].problem]

    def _check_links(self, where: str, block: Any, names: list[str], recorded_by: Callable = any) -> None:
        """Every link in a block leads to one of the runs named, or to something that belongs to one of them.

        recorded_by: ``any`` or ``all`` of them need to record the steps in the block.
        """
        runs = {name: self.paper.runs[name] for name in names}
        allowed = {
            types.RunName: names,
            types.ReferenceName: sorted({key for run in runs.values() for key in self._references(run)}),
            types.SeriesName: sorted({s for name in names for s in self.series[name]}),
        }
        for path, value in links(block):
            if not isinstance(value, types.RecordedStep):
                self._need(value, allowed[type(value)], f"{where}{path}")
            elif not recorded_by(run.records(value) for run in runs.values()):
                there = ", ".join(f"{name}: {run.recorded}" for name, run in runs.items())
                self._fail(f"{where}{path}", f"step {value} is not recorded ({there})")

    def _references(self, run: Any) -> dict[str, Any]:
        """The references that a run is compared with: its problem's, its own, and those of other runs."""
        borrowed = {name: self.paper.runs[one.run].references[one.reference] for name, one in run.borrowed.items()}
        return self.paper.problems[run.problem].references | run.references | borrowed

    def _series(self, run: Any) -> list[str]:
        """Names of all series that the run's measures will produce."""
        parameters, references = run.parameters(), self._references(run)
        about = {name: plugins.REFERENCE.constant(r.kind, "PARAMETER") for name, r in references.items()}
        slots = {"{parameter}": parameters, "{reference}": [name for name, p in about.items() if p in parameters]}
        names = [s for measure, _ in run.measured() for s in plugins.MEASURE.constant(measure, "SERIES")]
        for slot, values in slots.items():
            names = [name.replace(slot, value) for name in names for value in (values if slot in name else [""])]
        return names


def check_paper(name: str, paper: Any, file: str) -> None:
    """Raise ConfigError for the first thing in a paper's file that does not fit the rest of it."""
    PaperChecker(name, paper, file).check()


def is_table(figure: str) -> bool:
    """Whether the figure of this name is a table."""
    return figure.startswith("table_")


def arguments(block: Any, *but: str) -> dict[str, Any]:
    """The block as plain values, without some keys."""
    return {key: value for key, value in block.model_dump(mode="json").items() if key not in but}
