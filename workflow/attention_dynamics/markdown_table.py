"""Tables in Markdown."""

from collections.abc import Iterable, Sequence
from typing import Any


def markdown_table(head: Sequence[str], rows: Iterable[Iterable[Any]]) -> list[str]:
    """Return the lines of a table; in its cells, bars are escaped and newlines become blanks."""
    return [_line(head), "|" + "---|" * len(head), *map(_line, rows)]


def _line(cells: Iterable[Any]) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
