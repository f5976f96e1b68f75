"""Tables in Markdown."""

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

# Matches the empty string after "<" where an HTML element begins, and the empty string in "](" within a link.
TAG_OR_LINK = re.compile(r"(?<=<)(?=[/!?A-Za-z])|(?<=\])(?=\()")


def markdown_table(head: Sequence[str], rows: Iterable[Iterable[Any]]) -> list[str]:
    """Return the lines of a Markdown table; in its cells, bars are escaped and newlines become blanks."""
    return [_line(head), "|" + "---|" * len(head), *map(_line, rows)]


def frame_table(cells: "pd.DataFrame") -> list[str]:
    """Return the lines of the Markdown table of a frame whose cells are texts."""
    return markdown_table(list(cells.columns), cells.to_numpy().tolist())


def plain_text(text: str) -> str:
    """Return a text on one line, with a blank after "<" and before "(" where Markdown would find HTML or a link.

    The blank is used rather than a backslash, which would be visible in code and begin a command in a formula.
    """
    return TAG_OR_LINK.sub(" ", " ".join(text.splitlines()))


def _line(cells: Iterable[Any]) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
