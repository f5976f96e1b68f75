"""Base class of the measures of a trained run."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.registry import Component
from attention_dynamics.run import Run
from attention_dynamics.training import Training


class Measure(Component, packages=("measures",)):
    """Named series measured on a trained run.

    series: names of the series; {reference} and {parameter} stand for each reference direction and trained parameter.
    data: the kinds of data whose runs can be measured. required_settings: settings that the training of a run must have
    to be measured. required_observation: the entry that the training's ``observe`` must have; empty for none.
    """

    series: ClassVar[tuple[str, ...]] = ()
    data: ClassVar[tuple[str, ...]] = ("tokens",)
    required_settings: ClassVar[tuple[str, ...]] = ()
    required_observation: ClassVar[str] = ""

    def check(self, training: Training) -> None:
        """Raise ValueError if the training lacks a required setting or observation, or the class lists no series."""
        if isinstance(self.series, str) or not self.series:
            name = self.series or self.kind
            raise ValueError(f'{type(self).__name__} needs the names of its series: series = ("{name}",)')
        for name in self.required_settings:
            if not hasattr(training, name):
                raise ValueError(f"needs the setting {name}, which runs of kind {training.kind} do not have")
        if self.required_observation and self.required_observation not in getattr(training, "observe", ()):
            raise ValueError(f"needs observe: [{self.required_observation}] in the run")

    def measure(self, run: Run) -> dict[str, NDArray[Any]]:
        """Return the series, each (records, problems, k), with k the number of starts unless the class says otherwise.

        Raises ValueError if the run does not have what is measured.
        """
        raise NotImplementedError


def measure_run(measure: Measure, run: Run) -> dict[str, NDArray[Any]]:
    """Return the series that ``measure.measure`` returns for a run, name -> array, after checks.

    Raises ValueError, naming the class, for a result that is not a mapping or has a series that the class does not
    list, and for arrays that have another shape than expected or entries other than real numbers.
    """
    found: Any = measure.measure(run)
    name = f"{type(measure).__name__}.measure"
    if not isinstance(found, Mapping):
        raise ValueError(f"{name} must return arrays by the names of series, got {type(found).__name__}")
    # Names with slots, such as {reference}, are not checked, because only a configured run knows what fills the slots.
    # If the class lists such a name, no name is checked.
    if not any("{" in series for series in measure.series) and found.keys() - set(measure.series):
        raise ValueError(f"{name} returns {', '.join(found)}; its series are {', '.join(measure.series)}")
    tokens = measure.data == ("tokens",)
    sizes = (len(run.steps), len(run.problem.labels)) if tokens else (len(run.steps),)
    for key, array in found.items():
        if np.asarray(array).dtype.kind not in "biuf":
            raise ValueError(f"{name}: {key}: need real numbers, got an array of {np.asarray(array).dtype}")
        shape = np.shape(array)
        if shape[: len(sizes)] != sizes or (tokens and len(shape) != 3):
            what = "(records, problems, starts), here ({}, {}, k)" if tokens else "(records, ...), here ({}, ...)"
            raise ValueError(f"{name}: {key}: need the shape {what.format(*sizes)}, got {shape}")
    return dict(found)
