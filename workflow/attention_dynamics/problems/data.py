"""Protocol of the data of problems."""

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol, Self

from numpy.typing import NDArray


class Data(Protocol):
    """Data of one kind, stored as named arrays.

    KIND: one of the kinds in ``stored.DATA``, stored as "kind". It equals ``shape.data`` of the sources of these data.
    """

    KIND: ClassVar[str]

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return named arrays to store; the array "kind" contains KIND."""
        ...

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Return the data from the arrays that ``to_arrays`` returned."""
        ...
