"""Tables in Markdown."""

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

# The beginnings of an element of HTML, and of the address of a link.
TAG_OR_LINK = re.compile(r"(?<=<)(?=[/!?A-Za-z])|(?<=\])(?=\()")


def markdown_table(head: Sequence[str], rows: Iterable[Iterable[Any]]) -> list[str]:
    """Return the lines of a table; in its cells, bars are escaped and newlines become blanks."""
    return [_line(head), "|" + "---|" * len(head), *map(_line, rows)]


def frame_table(cells: "pd.DataFrame") -> list[str]:
    """Return the lines of a table whose cells are texts."""
    return markdown_table(list(cells.columns), cells.to_numpy().tolist())


def plain_text(text: str) -> str:
    """Return a text on one line in which Markdown finds no HTML and no links: a blank is before their names.

    A backslash would be drawn in code, and be a command in a formula.
    """
    return TAG_OR_LINK.sub(" ", " ".join(text.splitlines()))


def _line(cells: Iterable[Any]) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
