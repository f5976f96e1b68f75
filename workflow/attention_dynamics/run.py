"""One trained run with all that belongs to it, and how it is put together from stored files."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from attention_dynamics.problems.problem import Problem
from attention_dynamics.store import load_arrays


@dataclass(frozen=True)
class Run:
    """A trajectory, its problem and its reference directions.

    trajectory: "step" (records,), and parameter name -> (records, problems, starts, ...).
    references: reference name -> the arrays of ``margins.references.tabulate``.
    settings: the run's block of the configuration (model, loss, optimizer, ...).
    series: series name -> (records, problems, k), once they are measured.
    counterpart: the trajectory that this run is compared with, if it names one.
    lmm_set: all LMM directions of the problem (``margins.references.enumerate_lmm``), where it asks for them.
    """

    problem: Problem
    references: dict[str, dict[str, NDArray]]
    trajectory: dict[str, NDArray]
    settings: dict[str, Any]
    series: dict[str, NDArray] = field(default_factory=dict)
    counterpart: dict[str, NDArray] | None = None
    lmm_set: dict[str, NDArray] = field(default_factory=dict)

    @property
    def steps(self) -> NDArray:
        """Iteration number of every record, (records,)."""
        return self.trajectory["step"]

    def at(self, step: int) -> int:
        """Index of the record of an iteration. Raises ValueError where it was not recorded."""
        found = (self.steps == step).nonzero()[0]
        if not len(found):
            raise ValueError(f"step {step} was not recorded")
        return int(found[0])


def the_only(runs: dict[str, Run]) -> Run:
    """The run of a figure that shows one. Raises ValueError for more."""
    if len(runs) != 1:
        raise ValueError(f"this plot shows one run, the figure lists {len(runs)}: {', '.join(runs)}")
    return next(iter(runs.values()))


def load_run(
    data: str | Path,
    svm: str | Path,
    train: str | Path,
    settings: dict[str, Any],
    measures: str | Path | None = None,
    counterpart: str | Path | None = None,
) -> Run:
    """Read the files of a run; ``measures`` and ``counterpart`` where there are any. Raises DamagedFile."""
    references: dict[str, dict[str, NDArray]] = {}
    lmm_set: dict[str, NDArray] = {}
    for name, array in load_arrays(svm).items():
        kind, _, rest = name.partition("/")
        if kind == "lmm_set":
            lmm_set[rest] = array
        else:
            reference, _, quantity = rest.partition("/")
            references.setdefault(reference, {})[quantity] = array
    return Run(
        problem=Problem.from_arrays(load_arrays(data)),
        references=references,
        lmm_set=lmm_set,
        trajectory=load_arrays(train),
        settings=settings,
        series=load_arrays(measures) if measures else {},
        counterpart=load_arrays(counterpart) if counterpart else None,
    )


def load_runs(files: Any, runs: list[dict[str, Any]]) -> dict[str, Run]:
    """The runs of a figure by name. files: lists ``data``, ``svm``, ``train``, ``measures``, one entry per run."""
    return {
        run["name"]: load_run(data, svm, train, settings=run, measures=measures)
        for run, data, svm, train, measures in zip(
            runs, files.data, files.svm, files.train, files.measures, strict=True
        )
    }
