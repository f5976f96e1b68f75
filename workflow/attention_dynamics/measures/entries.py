"""Two entries of W, the coordinates of figures that show its path in a plane."""

from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run
from attention_dynamics.types import Cell


class Entries(Measure, kind="entries"):
    """Two entries of W.

    first, second: row and column of the entry, counted from 0.
    """

    series = ("first_entry", "second_entry")

    first: Cell
    second: Cell

    def measure(self, run: Run) -> dict[str, Array]:
        """Return the series. Raises ValueError if W is not a square matrix or lacks one of the entries."""
        p = run.prompt
        d = round(p.shape[-1] ** 0.5)
        if d * d != p.shape[-1] or max(*self.first, *self.second) >= d:
            entries = f"{list(self.first)} and {list(self.second)}"
            raise ValueError(f"entries: {entries} do not exist in a parameter with {p.shape[-1]} coordinates")
        cells = {"first_entry": self.first, "second_entry": self.second}
        return {name: p[..., row * d + column] for name, (row, column) in cells.items()}
