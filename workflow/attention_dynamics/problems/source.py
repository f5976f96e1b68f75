"""What every source of problems has: settings, the shape of what it builds, and how it builds it."""

from typing import Any, ClassVar

from attention_dynamics.problems.shape import Shape
from attention_dynamics.registry import Component


class ProblemSource(Component, packages=("problems", "sequences", "deep.problems")):
    """A source of problems.

    Settings that contradict each other raise ValueError in a validator of the class, so that no source can be made of
    them. reads_dataset: it reads a data set, from where the settings ``data`` and ``data_mirror`` say.
    """

    reads_dataset: ClassVar[bool] = False

    @property
    def shape(self) -> Shape:
        """What is known of the data before they are built. Imports neither torch nor data."""
        raise NotImplementedError

    def build(self) -> Any:
        """Return the data: an object with ``to_arrays`` whose class is listed in ``stored.DATA``.

        Sources with ``reads_dataset`` take ``source`` and ``mirror``: the settings ``data`` and ``data_mirror``.
        """
        raise NotImplementedError
