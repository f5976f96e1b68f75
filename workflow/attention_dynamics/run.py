"""One trained run with all that belongs to it, and how it is put together from stored files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.problems import stored
from attention_dynamics.training import record_of
from attention_dynamics.store import load_arrays

# The axis of the problems in each kind of file, and the arrays that have none.
AXES = {"data": 0, "svm": 0, "selected_svm": 0, "borrowed": 0, "train": 1, "counterpart": 1, "measures": 1}
SHARED = {"key_weights", "parameter", "step"}


@dataclass(frozen=True)
class Run:
    """A trajectory, its problem and its reference directions.

    problem: what ``problems.stored.from_arrays`` returns.
    trajectory: "step" (records,), and parameter name -> (records, problems, starts, ...).
    references: reference name -> the arrays of ``margins.references.tabulate``.
    settings: the run's block of the configuration (model, loss, optimizer, ...).
    series: series name -> (records, problems, k), once they are measured.
    counterpart: the trajectory that this run is compared with, if it names one.
    lmm_set: all LMM directions of the problem (``margins.references.enumerate_lmm``), where it asks for them.
    """

    problem: Any
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
        return record_of(self.steps, step)


def the_only(runs: dict[str, Run]) -> Run:
    """The run of a figure that shows one. Raises ValueError for more."""
    if len(runs) != 1:
        raise ValueError(f"this plot shows one run, the figure lists {len(runs)}: {', '.join(runs)}")
    return next(iter(runs.values()))


def load_run(files: Mapping[str, str | Sequence[str]], settings: dict[str, Any]) -> Run:
    """Read the files of a run. Raises DamagedFile.

    files: stage -> file, or a file for every shard: data and train, and as far as there are any svm, selected_svm
        (the run's own references), "borrowed-<run>" (those of another run), measures and counterpart.
    """
    arrays = {stage: _load(paths, AXES[stage.split("-")[0]]) for stage, paths in files.items()}
    solved = _nested(arrays.get("svm", {}) | arrays.get("selected_svm", {}))
    references, lmm_set = solved.get("references", {}), solved.get("lmm_set", {})
    for name, lender in settings.get("borrowed", {}).items():
        references[name] = _nested(arrays[f"borrowed-{lender['run']}"])["references"][lender["reference"]]
    return Run(
        problem=stored.from_arrays(arrays["data"]),
        references=references,
        lmm_set=lmm_set,
        trajectory=arrays["train"],
        settings=settings,
        series=arrays.get("measures", {}),
        counterpart=arrays.get("counterpart"),
    )


def _nested(arrays: Mapping[str, NDArray]) -> dict[str, Any]:
    """Arrays named "a/b/c" as mappings within mappings."""
    tree: dict[str, Any] = {}
    for path, array in arrays.items():
        *folders, name = path.split("/")
        here = tree
        for folder in folders:
            here = here.setdefault(folder, {})
        here[name] = array
    return tree


def load_runs(files: Mapping[str, str | Sequence[str]], runs: list[dict[str, Any]]) -> dict[str, Run]:
    """The runs of a figure by name. files: "<run>.<stage>" -> file, or a file for every shard."""
    by_run: dict[str, dict[str, str | Sequence[str]]] = {}
    for name, paths in files.items():
        run, stage = name.split(".")
        by_run.setdefault(run, {})[stage] = paths
    return {run["name"]: load_run(by_run[run["name"]], settings=run) for run in runs}


def _load(paths: str | Sequence[str], problems_axis: int) -> dict[str, NDArray]:
    """The arrays of a file, or of several shards of one, joined along the axis of the problems."""
    shards = [load_arrays(path) for path in ([paths] if isinstance(paths, str) else paths)]
    if len(shards) == 1:
        return shards[0]
    return {
        name: array
        if name.rpartition("/")[2] in SHARED
        else np.concatenate([shard[name] for shard in shards], axis=problems_axis)
        for name, array in shards[0].items()
    }
