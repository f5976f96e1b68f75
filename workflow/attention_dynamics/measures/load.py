"""A run put together from its stored intermediates."""

from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from attention_dynamics.measures.run import Run
from attention_dynamics.problems.problem import Problem
from attention_dynamics.store import load_arrays


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
