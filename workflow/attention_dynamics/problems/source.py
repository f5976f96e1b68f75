"""Base classes of the sources of problems."""

from typing import Any, ClassVar, Self

from attention_dynamics.problems.data import Data
from attention_dynamics.problems.shape import Shape
from attention_dynamics.registry import Component
from attention_dynamics.types import Count, Index

# Settings that determine which random problems a source draws.
SAMPLING_PARAMETERS = ("seed", "seeds", "first_seed", "first", "d", "replications")


class ProblemSource(Component, packages=("problems", "sequences.problems", "deep.problems")):
    """A source of problems.

    Validators of subclasses raise ValueError for settings that contradict each other. reads_dataset: True if the
    problems come from a published data set. The settings ``data`` and ``data_mirror`` say where that set is read from.
    """

    reads_dataset: ClassVar[bool] = False

    @property
    def shape(self) -> Shape:
        """Size of the data, known before ``build`` is called. Computing it does not import torch."""
        raise NotImplementedError(f"{type(self).__module__}: {type(self).__name__} defines no shape")

    def build(self) -> Data:
        """Return the data, of the kind ``shape.data``; its class is listed in ``stored.DATA``.

        Sources with ``reads_dataset`` take the arguments ``source`` and ``mirror``, the values of the settings ``data``
        and ``data_mirror``.
        """
        raise NotImplementedError

    @property
    def max_shards(self) -> int:
        """The largest number of shards that the problems can be split into; 1 for problems that cannot be split."""
        return 1

    def shard(self, number: int, count: int) -> Self:
        """Return the source of shard ``number``, 1 to ``count``. The shards together have all problems, in order.

        Raises ValueError for a shard that does not exist.
        """
        if not 1 <= number <= count <= self.max_shards:
            raise ValueError(f"shard {number}-of-{count} does not exist")
        return self

    @property
    def sampling(self) -> dict[str, Any]:
        """The settings among SAMPLING_PARAMETERS, as JSON values, for messages."""
        settings = self.model_dump(mode="json")
        return {name: settings[name] for name in SAMPLING_PARAMETERS if name in settings}


class RandomTrials(ProblemSource):
    """A source of independent random trials, which can be split into shards.

    The draws of trial k depend on k alone. trials: the number of trials. first: the number k of the first trial.
    """

    trials: Count
    first: Index = 0

    @property
    def max_shards(self) -> int:
        return self.trials

    def shard(self, number: int, count: int) -> Self:
        """Return the source of consecutive trials; the sizes of shards differ by at most one trial."""
        super().shard(number, count)
        before, after = (self.trials * k // count for k in (number - 1, number))
        settings = {name: getattr(self, name) for name in type(self).model_fields}
        return type(self).model_validate({**settings, "first": self.first + before, "trials": after - before})
