"""Training samples drawn from sequence classes, for one seed (``Samples``) and several (``SampledSequences``)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.problems.arrays import own_arrays
from attention_dynamics.problems.problem import Array
from attention_dynamics.problems.shape import Shape
from attention_dynamics.sequences.classes import SequenceClasses, Tokens


class Samples(NamedTuple):
    """Random samples and initial weights for one seed. C, D and M are as in ``SequenceClasses``.

    classes: (steps, batch), the class n of each sample.
    counts: (steps, batch, C + D), how often each token of ``SequenceClasses.support`` occurs before the query token.
    Y: (contextual tokens, M) and Z: (query tokens, M), the rows of the initial weights that training can move.
    """

    classes: Tokens
    counts: NDArray[np.uint16]
    Y: Array
    Z: Array


@dataclass(frozen=True)
class SampledSequences:
    """The ``Samples`` for P seeds, stacked along the first axis. Each seed is one problem.

    classes: the sequence classes. labels: (P, steps, batch), ``Samples.classes``. counts: (P, steps, batch, C + D).
    Y: (P, contextual tokens, M). Z: (P, query tokens, M). settings: "seed" -> (P,).
    """

    KIND: ClassVar[str] = "sequences"

    classes: SequenceClasses
    labels: Tokens
    counts: NDArray[np.uint16]
    Y: Array
    Z: Array
    settings: dict[str, Array]

    def __post_init__(self) -> None:
        own_arrays(self)

    def samples(self, row: int) -> Samples:
        """Return the samples for one seed. row: index of the seed."""
        return Samples(self.labels[row], self.counts[row], self.Y[row], self.Z[row])

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return named arrays for the store."""
        own = {name: getattr(self, name) for name in ("labels", "counts", "Y", "Z")}
        classes = {f"classes/{name}": array for name, array in self.classes.to_arrays().items()}
        return {"kind": np.array(self.KIND), **own, **classes, "settings/seed": self.settings["seed"]}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Return the samples from the arrays that ``to_arrays`` returned."""
        inner = {name.partition("/")[2]: array for name, array in arrays.items() if name.startswith("classes/")}
        own = {name: arrays[name] for name in ("labels", "counts", "Y", "Z")}
        return cls(SequenceClasses.from_arrays(inner), **own, settings={"seed": arrays["settings/seed"]})


@dataclass(frozen=True, kw_only=True)
class SequenceShape(Shape):
    """Size of ``SampledSequences``, in which each seed is one problem.

    batches: number of batches. batch: samples in a batch. length: T, tokens of a sample, the query token included.
    vocabulary_size: M.
    """

    data: ClassVar[str] = "sequences"

    batches: int
    batch: int
    length: int
    vocabulary_size: int
