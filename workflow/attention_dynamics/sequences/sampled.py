"""What training on sequence classes draws, of one run and of several."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.problems.problem import Array
from attention_dynamics.sequences.classes import SequenceClasses, Tokens


class Samples(NamedTuple):
    """Everything random in a run.

    classes: (steps, batch), the class n of each sample.
    counts: (steps, batch, C + D), how often each token of the class's support is among the T - 1 contextual ones.
    Y: (contextual tokens, M) and Z: (query tokens, M), the rows of the initial weights that training can move.
    """

    classes: Tokens
    counts: NDArray[np.int32]
    Y: Array
    Z: Array


@dataclass(frozen=True)
class SampledSequences:
    """What P runs with a seed each draw, as ``Samples`` has it, along the first axis.

    labels: (P, steps, batch). counts: (P, steps, batch, C + D). Y: (P, contextual tokens, M). Z: (P, query tokens, M).
    settings: "seed" -> (P,).
    """

    classes: SequenceClasses
    labels: Tokens
    counts: NDArray[np.int32]
    Y: Array
    Z: Array
    settings: dict[str, Array]

    def samples(self, row: int) -> Samples:
        """What the run of one of the seeds draws."""
        return Samples(self.labels[row], self.counts[row], self.Y[row], self.Z[row])

    def to_arrays(self) -> dict[str, NDArray]:
        """Named arrays for the store."""
        own = {name: getattr(self, name) for name in ("labels", "counts", "Y", "Z")}
        classes = {f"classes/{name}": array for name, array in self.classes.to_arrays().items()}
        return own | classes | {"settings/seed": self.settings["seed"]}

    @classmethod
    def from_arrays(cls, arrays: dict[str, NDArray]) -> "SampledSequences":
        """The inverse of ``to_arrays``."""
        inner = {name.partition("/")[2]: array for name, array in arrays.items() if name.startswith("classes/")}
        own = {name: array for name, array in arrays.items() if "/" not in name}
        return cls(SequenceClasses.from_arrays(inner), **own, settings={"seed": arrays["settings/seed"]})
