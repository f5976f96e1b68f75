"""Reader of docs/discrepancies.md for the report: where papers, published code and mathematics differ."""

import posixpath
import re
from typing import Any

from attention_dynamics.registry import PACKAGE

FILE = PACKAGE.parents[1] / "docs" / "discrepancies.md"
ITEM = re.compile(r"(\d+)\. +")
BLOCK = re.compile(r"\n\s*\n|\n(?=\d+\. )")
LINK = re.compile(r"\[([^\]]*)\]\(([^)#]+)[^)]*\)")


def load_discrepancies() -> dict[str, list[dict[str, Any]]]:
    """Return a dict: heading of a section -> its paragraphs. The key "" has the paragraphs before the first section.

    A paragraph is a dict: "text", on one line, and "item", its number in a list, or 0 outside of lists. A link is
    replaced by its text and, in brackets, the page that it leads to.
    """
    head, *sections = FILE.read_text(encoding="utf-8").split("\n## ")
    titled = {"": head.partition("\n")[2]} | dict(section.split("\n", 1) for section in sections)
    return {
        title: [_paragraph(block) for block in BLOCK.split(text) if block.strip()] for title, text in titled.items()
    }


def section_of(paper: str) -> list[dict[str, Any]]:
    """Return the paragraphs of the section about a paper; [] without a section. paper: name, such as "max_margin".

    The heading must begin with the name, apart from capital letters, and with blanks or hyphens for underscores.
    """
    found = [
        paragraphs
        for title, paragraphs in load_discrepancies().items()
        if re.sub(r"\W", "_", title.lower()).startswith(paper)
    ]
    return found[0] if found else []


def _paragraph(block: str) -> dict[str, Any]:
    text = _rows(block) if block.lstrip().startswith("|") else " ".join(block.split())
    item = ITEM.match(text)
    return {"item": int(item[1]) if item else 0, "text": LINK.sub(_page_name, text[item.end() if item else 0 :])}


def _rows(table: str) -> str:
    """Return the rows of a Markdown table as the sentence "a: b, c; d: e, f.", without the head of the table."""
    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in table.strip().splitlines()[2:]]
    return "; ".join(": ".join([row[0], ", ".join(filter(None, row[1:]))]) for row in rows) + "."


def _page_name(link: re.Match[str]) -> str:
    address = link[2] if "://" in link[2] else posixpath.normpath(f"docs/{link[2]}")
    return f"{link[1]} (`{address}`)"
