"""Docstrings of the library as reStructuredText.

The docstrings are plain text with ``code`` in double backticks. A line "name: description" describes a parameter, a
field or something returned, and sentences that begin with "Returns" or "Raises" stand by themselves. Docstrings with
sections of NumPy's style are left to ``sphinx.ext.napoleon``.
"""

import re
from typing import Any

from sphinx.application import Sphinx

CODE = re.compile(r"(``.+?``)")
SPECIAL = re.compile(r"([\\*`|_])")
ENTRY = re.compile(r"([A-Za-z_]\w*(?:, [A-Za-z_]\w*)*): (?=\S)(.*)")
NUMPY_SECTION = re.compile(r"^-{3,}\s*$", re.MULTILINE)


def escape(line: str) -> str:
    """Return a line in which only double backticks mean something to reStructuredText."""
    return "".join(part if CODE.fullmatch(part) else SPECIAL.sub(r"\\\1", part) for part in CODE.split(line))


def paragraph(lines: list[str]) -> list[str]:
    """Return a paragraph of plain text: as it is, as a literal block, or as a list of what it describes."""
    if all(line.startswith("    ") for line in lines):
        return ["::", "", *lines]
    result: list[str] = []
    for line in lines:
        entry, text = ENTRY.match(line), line.strip()
        if entry:
            names = ", ".join(f"``{name}``" for name in entry[1].split(", "))
            result += ["", f"- {names}: {escape(entry[2])}"]
        elif text.startswith(("Returns ", "Raises ")):
            result += ["", escape(text)]
        else:
            in_item = next((one for one in reversed(result) if one == "" or one.startswith("- ")), "").startswith("- ")
            result.append(f"  {escape(text)}" if in_item else escape(text))
    return result


def convert(text: str) -> list[str]:
    """Return a docstring as lines of reStructuredText."""
    blocks: list[list[str]] = [[]]
    for line in text.split("\n"):
        if line.strip():
            blocks[-1].append(line)
        elif blocks[-1]:
            blocks.append([])
    return [line for block in blocks if block for line in [*paragraph(block), ""]]


def process(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Replace the lines of a docstring in place."""
    text = "\n".join(lines)
    if not NUMPY_SECTION.search(text):
        lines[:] = convert(text)


def setup(app: Sphinx) -> dict[str, Any]:
    """Convert docstrings before ``sphinx.ext.napoleon`` sees them."""
    app.connect("autodoc-process-docstring", process, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
