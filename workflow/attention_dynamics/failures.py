"""What can go wrong in a computation that was asked for correctly."""

from collections.abc import Mapping

from numpy.typing import NDArray


class NumericalFailure(FloatingPointError):
    """Numbers are no longer finite. recorded: named arrays of what there is from before."""

    def __init__(self, what: str, recorded: Mapping[str, NDArray]) -> None:
        super().__init__(what)
        self.recorded = dict(recorded)
