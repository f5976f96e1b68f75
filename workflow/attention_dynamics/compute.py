"""Training, max-margin programs and measures in one call, in memory, without the files of the workflow's stages."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from attention_dynamics.margins.reference import Reference
from attention_dynamics.margins.references import enumerate_lmm, solve_references
from attention_dynamics.margins.selected_tokens import select_trained
from attention_dynamics.measures.measure import Measure, measure_run
from attention_dynamics.problems.arrays import as_array
from attention_dynamics.run import Arrays, Run, mask_diverged, nested, prompt_of
from attention_dynamics.training import NO_CONTEXT, JobContext, Training

# Arrays of a reference that must be in double precision, because measures compute with them.
NUMBERS = {"direction", "weights", "norm"}


def compute_run(
    problem: Any, training: Training, *, measures: Iterable[Measure] = (),
    references: Mapping[str, Reference] | None = None, own_references: Mapping[str, Reference] | None = None,
    external_references: Mapping[str, Arrays] | None = None, lmm_set: bool = False,
    saturated: float = Run.saturated, context: JobContext = NO_CONTEXT,
) -> Run:  # fmt: skip
    """Train on a problem, solve its max-margin programs and measure.

    problem: built by a ``ProblemSource``. references: name -> max-margin program for the problem's optimal tokens.
    own_references: name -> program for the tokens that the training selects from its first start. It is solved only
    for problems whose softmax is saturated at the end (``Run.saturated``). ``saturated=0`` includes all problems.
    external_references: name -> arrays of a solved reference of another run. lmm_set: also enumerate all
    locally-optimal max-margin (LMM) directions.
    Raises ValueError if the training needs another kind of problem, or if ``saturated`` is not in [0, 1].
    Raises TypeError if a measure is not a ``Measure``, or a program not a ``Reference``. Other errors are passed on.
    """
    measures = list(measures)
    _check_types("measures", measures, Measure)
    _check_types("references", (references or {}).values(), Reference)
    _check_types("own_references", (own_references or {}).values(), Reference)
    if not 0 <= saturated <= 1:
        raise ValueError(f"saturated: need a probability from 0 to 1, got {saturated}")
    if (kind := getattr(problem, "KIND", None)) != training.data:
        raise ValueError(f"problem: need {training.data} for a training of kind {training.kind}, got {kind}")
    trajectory = training.train(problem, context)
    solved = solve_references(problem, references or {})
    if own_references:
        selecting, mask = select_trained(problem, prompt_of(trajectory)[-1, :, 0], saturated)
        solved |= solve_references(selecting, own_references, mask)
    run = Run(
        training=training,
        problem=problem,
        trajectory=trajectory,
        references=nested(solved).get("references", {})
        | {name: _copy(name, arrays) for name, arrays in (external_references or {}).items()},
        lmm_set=enumerate_lmm(problem) if lmm_set else {},
        saturated=saturated,
    )
    for measure in measures:
        run.series.update(mask_diverged(measure_run(measure, run), run.diverged))
    return run


def _copy(name: str, arrays: Arrays) -> Arrays:
    """Return copies of the arrays of the reference ``name``. Arrays in NUMBERS become double precision."""
    return {
        key: as_array(f"{name} {key}", array).copy() if key in NUMBERS else np.array(array)
        for key, array in arrays.items()
    }


def _check_types(name: str, given: Iterable[Any], kind: type) -> None:
    for item in given:
        if not isinstance(item, kind):
            raise TypeError(f"{name}: need objects of subclasses of {kind.__name__}, got {item!r}")
