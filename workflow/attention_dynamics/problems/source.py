"""Base classes of the sources of problems."""

from typing import Any, ClassVar, Self

from attention_dynamics.problems.data import Data
from attention_dynamics.problems.shape import Shape
from attention_dynamics.registry import Component
from attention_dynamics.types import Count, Index

# Settings that say which problems are drawn, and which is which in their batch.
SAMPLING_PARAMETERS = ("seed", "seeds", "first_seed", "first", "d", "replications")


class ProblemSource(Component, packages=("problems", "sequences.problems", "deep.problems")):
    """A source of problems.

    Settings that contradict each other raise ValueError in a validator of the class, so that no source can be made of
    them. reads_dataset: it reads a data set, from where the settings ``data`` and ``data_mirror`` say.
    """

    reads_dataset: ClassVar[bool] = False

    @property
    def shape(self) -> Shape:
        """Size of the data, known before they are built. Imports neither torch nor data."""
        raise NotImplementedError(f"{type(self).__module__}: {type(self).__name__} defines no shape")

    def build(self) -> Data:
        """Return the data, of the kind ``shape.data``; its class is listed in ``stored.DATA``.

        Sources with ``reads_dataset`` take ``source`` and ``mirror``: the settings ``data`` and ``data_mirror``.
        """
        raise NotImplementedError

    @property
    def most_shards(self) -> int:
        """The largest number of shards that the problems can be split into; 1 for problems that cannot be split."""
        return 1

    def shard(self, number: int, count: int) -> Self:
        """Return the source of shard ``number``, from 1 on, of ``count``. All shards together are the whole.

        Raises ValueError for a shard that there is not.
        """
        if not 1 <= number <= count <= self.most_shards:
            raise ValueError(f"there is no shard {number}-of-{count}")
        return self

    @property
    def sampling(self) -> dict[str, Any]:
        """Those settings that are SAMPLING_PARAMETERS, as JSON values, for messages."""
        settings = self.model_dump(mode="json")
        return {name: settings[name] for name in SAMPLING_PARAMETERS if name in settings}


class RandomTrials(ProblemSource):
    """A source of independent random trials, which can be split into shards.

    What trial k draws depends on nothing but k. trials: how many there are. first: number of the first one.
    """

    trials: Count
    first: Index = 0

    @property
    def most_shards(self) -> int:
        return self.trials

    def shard(self, number: int, count: int) -> Self:
        """Return the source of consecutive trials; shards differ by at most one trial."""
        super().shard(number, count)
        before, after = (self.trials * k // count for k in (number - 1, number))
        settings = {name: getattr(self, name) for name in type(self).model_fields}
        return type(self).model_validate({**settings, "first": self.first + before, "trials": after - before})
