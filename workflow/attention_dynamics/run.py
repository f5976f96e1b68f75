"""A trained run with its problem and references, and loading of runs from stored files."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.choices import format_wrong_choice
from attention_dynamics.problems import stored
from attention_dynamics.problems.problem import Array
from attention_dynamics.series.series import Series
from attention_dynamics.store import load_arrays
from attention_dynamics.training import Training, record_index

Arrays = dict[str, NDArray[Any]]
Files = Mapping[str, str | Sequence[str]]

# Stage -> axis of the problems in the arrays of its file. Arrays named in SHARED_ARRAYS or ".../parameter" have no such
# axis.
AXES = {"data": 0, "svm": 0, "selected_svm": 0, "external": 0, "train": 1, "measures": 1}
# Names of trained parameters: a trajectory has diverged if an entry of one of them is not finite.
TRAINED = ("p", "v", "W", "Z")
# Name of the set of all locally-optimal max-margin (LMM) directions, in place of the name of a single reference.
LMM_SET = "lmm_set"
SHARED_ARRAYS = {"kind", "key_weights", "step", "settings"}


@dataclass(frozen=True, kw_only=True)
class Run:
    """A trained run: the training, its problem, the trajectory, reference directions and measured series.

    ``run["norm_p"]`` is a measured series, ``run.reference("gmm", "norm")`` the norm of a reference for each problem.

    name: the run's name in the configuration, for error messages.
    training: the ``Training``, of any kind; a measure or plot needs a kind with the settings that it reads.
    problem: the data, as ``problems.stored.from_arrays`` returns them.
    trajectory: "step" (records,), and parameter name -> (records, problems, starts, ...).
    references: reference name -> the arrays of ``margins.references.tabulate``.
    series: series name -> (records, problems, k), k numbers per problem; empty before measures have run.
    lmm_set: all locally-optimal max-margin directions (``margins.references.enumerate_lmm``), or empty if not computed.
    saturated: the softmax of a problem is saturated if its largest probability, averaged over the inputs, is at
        least this number.
    """

    name: str = ""
    training: Any
    problem: Any
    trajectory: Arrays
    references: dict[str, Arrays] = field(default_factory=dict)
    series: Arrays = field(default_factory=dict)
    lmm_set: Arrays = field(default_factory=dict)
    saturated: float = 0.99999

    @property
    def steps(self) -> NDArray[Any]:
        """Iteration number, time or radius of every record, (records,), as ``Training.train`` returns it."""
        return self.trajectory["step"]

    @property
    def last_step(self) -> int:
        """The last recorded step."""
        return int(self.steps[-1])

    @property
    def prompt(self) -> Array:
        """The parameter of attention, (records, problems, starts, m): p, or the entries of W row by row."""
        return prompt_of(self.trajectory)

    def parameter(self, reference: str) -> str | None:
        """Return "p", "W" or "v", the recorded parameter that a reference is compared with; None if not recorded."""
        name = str(self.references[reference]["parameter"])
        return next((one for one in ((name, "W") if name == "p" else (name,)) if one in self.trajectory), None)

    @property
    def diverged(self) -> NDArray[np.bool_]:
        """Mask (records, problems, starts), true where a parameter is not finite.

        Its shape is (0, 0, 0) if the trajectory has no parameter in TRAINED.
        """
        trained = [self.trajectory[name] for name in TRAINED if name in self.trajectory]
        if not trained:
            return np.zeros((0, 0, 0), dtype=bool)
        finite = [np.isfinite(values).reshape(*values.shape[:3], -1).all(-1) for values in trained]
        return ~np.logical_and.reduce(finite)

    def at(self, step: int) -> int:
        """Return the index of the record of an iteration. Raises ValueError if it was not recorded."""
        return record_index(self.steps, step)

    def __getitem__(self, series: str) -> Series:
        """Return a measured series. For an unknown name, raises ValueError with a list of the measured series."""
        values = self.series.get(series)
        if values is None:
            raise ValueError(f"run {self.name}: series {format_wrong_choice(series, sorted(self.series))}")
        return Series.of(self.steps, values, getattr(self.problem, "settings", {}))

    def reference(self, name: str, quantity: str) -> Array:
        """Return a quantity of a reference direction as a flat array, problem by problem.

        name: name of a reference, or ``lmm_set`` for all LMM directions. quantity: one of
        ``margins.reference.QUANTITIES``. For an unknown name or quantity, raises ValueError with a list of the known
        names.
        """
        there = {**self.references, **({LMM_SET: self.lmm_set} if self.lmm_set else {})}
        if name not in there:
            raise ValueError(f"run {self.name}: reference {format_wrong_choice(name, sorted(there))}")
        if quantity not in there[name]:
            raise ValueError(f"reference {name}: quantity {format_wrong_choice(quantity, sorted(there[name]))}")
        return np.asarray(there[name][quantity], dtype=float).ravel()


def prompt_of(trajectory: Arrays) -> Array:
    """Return the parameter of attention along a trajectory; see ``Run.prompt``."""
    return trajectory["p" if "p" in trajectory else "W"]


class Runs(dict[str, Run]):
    """The runs of a figure by name. For an unknown name, raises ValueError with a list of the known names."""

    def __missing__(self, name: str) -> Run:
        raise ValueError(f"run {format_wrong_choice(name, self)}")


def mask_diverged(series: Arrays, diverged: NDArray[np.bool_]) -> Arrays:
    """Return measured series with NaN where a trajectory has diverged.

    series: name -> (records, problems, k). diverged: (records, problems, starts). If k is not the number of starts, all
    k numbers of a problem are NaN at the records at which any of its starts has diverged. A series with other numbers
    of records or problems is returned unchanged.
    """
    if not diverged.any():
        return series
    masked = {}
    for name, values in series.items():
        where = diverged if values.shape[:3] == diverged.shape else diverged.any(-1)
        fits = values.shape[: where.ndim] == where.shape
        masked[name] = (
            np.where(where.reshape(where.shape + (1,) * (values.ndim - where.ndim)), np.nan, values) if fits else values
        )
    return masked


def load_run(files: Files, description: Mapping[str, Any]) -> Run:
    """Read the files of a run. Raises DamagedFile for a missing or damaged file.

    files: stage -> file, or a list with a file for each shard. Required stages: data, train. Optional ones: svm,
        selected_svm (the run's own references), "external-<run>" (references of another run), measures.
    description: optional keys name, training (settings with ``kind``; by default those stored with the trajectory),
        saturated, and external_references: name -> {"run": name of the other run, "reference": name in that run}.
    """
    arrays = {stage: _load(paths, AXES[stage.split("-")[0]]) for stage, paths in files.items()}
    solved = nested(arrays.get("svm", {}) | arrays.get("selected_svm", {}))
    references, lmm_set = solved.get("references", {}), solved.get("lmm_set", {})
    for name, external in description.get("external_references", {}).items():
        there = nested(arrays[f"external-{external['run']}"])["references"]
        references[name] = there[external["reference"]]
    settings = description.get("training") or json.loads(str(arrays["train"]["settings"]))
    return Run(
        name=description.get("name", ""),
        training=Training.of(settings),
        problem=stored.from_arrays(arrays["data"]),
        trajectory={name: array for name, array in arrays["train"].items() if name != "settings"},
        references=references,
        series=arrays.get("measures", {}),
        lmm_set=lmm_set,
        saturated=description.get("saturated", Run.saturated),
    )


def load_runs(files: Files, descriptions: Sequence[Mapping[str, Any]]) -> Runs:
    """Read the runs of a figure; return them by name.

    files: "<run>.<stage>" -> file, or a list with a file for each shard. descriptions: as for ``load_run``, with name.
    """
    by_run: dict[str, dict[str, str | Sequence[str]]] = {}
    for name, paths in files.items():
        run, stage = name.split(".")
        by_run.setdefault(run, {})[stage] = paths
    return Runs((run["name"], load_run(by_run[run["name"]], run)) for run in descriptions)


def nested(arrays: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    """Return arrays named "a/b/c" as nested mappings: ``tree["a"]["b"]["c"]``."""
    tree: dict[str, Any] = {}
    for path, array in arrays.items():
        *folders, name = path.split("/")
        here = tree
        for folder in folders:
            here = here.setdefault(folder, {})
        here[name] = array
    return tree


def _load(paths: str | Sequence[str], problems_axis: int) -> Arrays:
    """Return the arrays of a file. The arrays of several shards are joined along the axis of the problems."""
    shards = [load_arrays(path) for path in ([paths] if isinstance(paths, str) else paths)]
    if len(shards) == 1:
        return shards[0]
    return {
        name: array
        if name in SHARED_ARRAYS or name.endswith("/parameter")
        else np.concatenate([shard[name] for shard in shards], axis=problems_axis)
        for name, array in shards[0].items()
    }
