"""Results of a run: the arguments of claims."""

from collections.abc import Mapping

import numpy as np

from attention_dynamics.choices import format_wrong_choice
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.series.series import Series

# The set of all locally-optimal max-margin directions, where one reference is named.
LMM_SET = "lmm_set"


class Results:
    """A measured run: ``results["norm_p"]`` is a series, ``results.reference("gmm", "norm")`` a number of an SVM."""

    def __init__(self, name: str, run: Run) -> None:
        self.name, self.run = name, run

    @property
    def last_step(self) -> int:
        """The last recorded step."""
        return int(self.run.steps[-1])

    def __getitem__(self, series: str) -> Series:
        """Return a measured series. Raises ValueError, listing the measured ones, for any other."""
        values = self.run.series.get(series)
        if values is None:
            raise ValueError(f"run {self.name}: series {format_wrong_choice(series, sorted(self.run.series))}")
        return Series.of(self.run.steps, values, getattr(self.run.problem, "settings", {}))

    def reference(self, name: str, quantity: str) -> Array:
        """Return numbers of a reference direction for all problems, (k,), see ``margins.reference.QUANTITIES``.

        name: of the reference, or ``lmm_set``. Raises ValueError, listing the known ones, for an unknown name or
        quantity.
        """
        there = {**self.run.references, **({LMM_SET: self.run.lmm_set} if self.run.lmm_set else {})}
        if name not in there:
            raise ValueError(f"run {self.name}: reference {format_wrong_choice(name, sorted(there))}")
        if quantity not in there[name]:
            raise ValueError(f"reference {name}: quantity {format_wrong_choice(quantity, sorted(there[name]))}")
        return np.asarray(there[name][quantity], dtype=float).ravel()


class Runs(dict[str, Results]):
    """The runs of a figure by name. The error for an unknown name lists the known ones."""

    @classmethod
    def of(cls, runs: Mapping[str, Run]) -> "Runs":
        """Return the results of loaded runs."""
        return cls((name, Results(name, run)) for name, run in runs.items())

    def __missing__(self, name: str) -> Results:
        raise ValueError(f"run {format_wrong_choice(name, self)}")
