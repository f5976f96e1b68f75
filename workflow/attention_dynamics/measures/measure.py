"""Base class of the measures of a trained run."""

from typing import Any, ClassVar

from numpy.typing import NDArray

from attention_dynamics.registry import Component
from attention_dynamics.run import Run
from attention_dynamics.training import Training


class Measure(Component, packages=("measures",)):
    """Named series measured on a trained run.

    series: their names; {reference} and {parameter} stand for each reference direction and each trained parameter.
    data: the kinds of data that it is for. required_settings: settings of a training without which there
    is nothing to measure. required_observation: what a training of networks must ``observe`` for it.
    """

    series: ClassVar[tuple[str, ...]] = ()
    data: ClassVar[tuple[str, ...]] = ("tokens",)
    required_settings: ClassVar[tuple[str, ...]] = ()
    required_observation: ClassVar[str] = ""

    def check(self, training: Training) -> None:
        """Raise ValueError unless runs of a training have what is measured."""
        for name in self.required_settings:
            if not hasattr(training, name):
                raise ValueError(f"needs the setting {name}, which runs of kind {training.kind} do not have")
        if self.required_observation and self.required_observation not in getattr(training, "observe", ()):
            raise ValueError(f"needs observe: [{self.required_observation}] in the run")

    def measure(self, run: Run) -> dict[str, NDArray[Any]]:
        """Return the series, each (records, problems, k), with k the number of starts unless the class says otherwise.

        Raises ValueError where the run does not have what is measured.
        """
        raise NotImplementedError
