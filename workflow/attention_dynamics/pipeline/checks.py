"""Checks across the blocks of a paper's file: names that must exist, shapes that must fit, numbers in range."""

from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import BaseModel

from attention_dynamics import types
from attention_dynamics.pipeline import plugins, source
from attention_dynamics.pipeline.errors import ConfigError
from attention_dynamics.pipeline.schema import Grid, Quantity
from attention_dynamics.pipeline.validation import not_one_of
from attention_dynamics.starts import starting_points

LMM_SET = "lmm_set"
WINDOWS = ("window", "early", "late")
REFERENCES = f"{source.NAME}.margins.references"


class PaperChecker:
    """Holds a paper's file while its blocks are checked one by one; raises ConfigError for the first that is wrong."""

    def __init__(self, paper: Any, file: str) -> None:
        self.paper, self.file = paper, file

    def check(self) -> None:
        """Check every block."""
        self.shapes = {name: self._shape(name, problem) for name, problem in self.paper.problems.items()}
        for name, run in self.paper.runs.items():
            self._check_run(f"runs.{name}", run)
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
            select = reference.select
            if select != "optimal" and (len(select) != shape.inputs or max(select) >= shape.tokens):
                what = f"need {shape.inputs} token indices below {shape.tokens}, got {select}"
                self._fail(f"{where}.references.{key}.select", what)
        if problem.lmm_set and (shape.problems > 1 or not shape.fixed_head):
            self._fail(f"{where}.{LMM_SET}", "needs a single problem with a fixed head")
        return shape

    def _check_run(self, where: str, run: Any) -> None:
        self._need(run.problem, self.paper.problems, f"{where}.problem")
        if run.counterpart:
            self._need(run.counterpart, self.paper.runs, f"{where}.counterpart")
        shape = self.shapes[run.problem]
        if ("v" in run.start) == shape.fixed_head:
            head = "fixed head: v cannot be started" if shape.fixed_head else "head to be trained: v needs a start"
            self._fail(f"{where}.start", f"problem {run.problem} has a {head}")
        if "p" not in run.start:
            self._fail(f"{where}.start", "needs the key p")
        starts = {parameter: start_points(start) for parameter, start in run.start.items()}
        counts = {parameter: len(points) for parameter, points in starts.items()}
        if len(set(counts.values())) != 1:
            self._fail(f"{where}.start", f"as many starts for every parameter, got {counts}")
        for parameter, points in starts.items():
            if points.shape[1] > shape.dimension:
                what = f"points have {points.shape[1]} coordinates, problem {run.problem} has {shape.dimension}"
                self._fail(f"{where}.start.{parameter}", what)
        for name, measure in run.measures:
            for path, value in links(measure):
                if isinstance(value, types.ReferenceName):
                    self._need(value, self.paper.problems[run.problem].references, f"{where}.measures.{name}{path}")

    def _check_figure(self, where: str, figure: Any) -> None:
        for name in figure.runs:
            self._need(name, self.paper.runs, f"{where}.runs")
        runs = [self.paper.runs[name] for name in figure.runs]
        problems = [self.paper.problems[run.problem] for run in runs]
        allowed = {
            types.RunName: figure.runs,
            types.ReferenceName: sorted({name for problem in problems for name in problem.references}),
            types.SeriesName: sorted(
                {s for run, problem in zip(runs, problems, strict=True) for s in self._series(run, problem)}
            ),
        }
        for path, value in links(figure.plot):
            self._need(value, allowed[type(value)], f"{where}.plot{path}")
        for key, claim in figure.claims.items():
            self._check_claim(f"{where}.claims.{key}.measured", claim.measured, figure.runs)

    def _check_claim(self, where: str, measured: Any, runs: list[str]) -> None:
        self._need(measured.run, runs, f"{where}.run")
        run = self.paper.runs[measured.run]
        problem = self.paper.problems[run.problem]
        if isinstance(measured, Quantity):
            lmm_set = [LMM_SET] if problem.lmm_set else []
            self._need(measured.reference, [*problem.references, *lmm_set], f"{where}.reference")
            table = "LMM_QUANTITIES" if measured.reference == LMM_SET else "QUANTITIES"
            self._need(measured.quantity, source.constant(REFERENCES, table), f"{where}.quantity")
            return
        for key in ("series", "minus"):
            if (name := getattr(measured, key)) is not None:
                self._need(name, self._series(run, problem), f"{where}.{key}")
        for key in ("step", "at", *WINDOWS):
            steps = getattr(measured, key, None)
            for step in steps if isinstance(steps, list) else [] if steps is None else [steps]:
                if step != run.steps and (step % run.record_every or not 0 <= step <= run.steps):
                    what = (
                        f"step {step:g} of run {measured.run} is not recorded (0 to {run.steps} by {run.record_every})"
                    )
                    self._fail(f"{where}.{key}", what)
            if key in WINDOWS and steps and steps[0] >= steps[1]:
                self._fail(f"{where}.{key}", f"needs a first and a later step, got {steps}")
        columns = self.shapes[run.problem].problems * len(start_points(run.start["p"]))
        if measured.trajectories and max(measured.trajectories) >= columns:
            self._fail(f"{where}.trajectories", f"run {measured.run} has {columns} trajectories, counted from 0")

    @staticmethod
    def _series(run: Any, problem: Any) -> list[str]:
        """Names of all series that the run's measures will produce."""
        parameters = [
            *plugins.MODEL.constant(run.model.kind, "PARAMETERS"),
            *(name for name in run.start if name != "p"),
        ]
        about = {name: plugins.REFERENCE.constant(r.kind, "PARAMETER") for name, r in problem.references.items()}
        slots = {"{parameter}": parameters, "{reference}": [name for name, p in about.items() if p in parameters]}
        names = [s for measure, block in run.measures if block for s in plugins.MEASURE.constant(measure, "SERIES")]
        for slot, values in slots.items():
            names = [name.replace(slot, value) for name in names for value in (values if slot in name else [""])]
        return names


def check_paper(paper: Any, file: str) -> None:
    """Raise ConfigError for the first thing in a paper's file that does not fit the rest of it."""
    PaperChecker(paper, file).check()


def links(value: Any, path: str = "") -> Iterator[tuple[str, types.Link]]:
    """All links in a block, however deep, with their paths."""
    if isinstance(value, types.Link):
        yield path, value
    elif isinstance(value, BaseModel):
        for name in type(value).model_fields:
            yield from links(getattr(value, name), f"{path}.{name}")
    elif isinstance(value, list):
        for k, item in enumerate(value):
            yield from links(item, f"{path}.{k}")


def start_points(start: Any) -> Any:
    """Starting points, (starts, m)."""
    return starting_points(start.model_dump() if isinstance(start, Grid) else start)


def arguments(block: Any, *but: str) -> dict[str, Any]:
    """The block as plain values, without some keys."""
    return {key: value for key, value in block.model_dump(mode="json").items() if key not in but}
