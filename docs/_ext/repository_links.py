"""Links from pages to files of the repository that are not part of the site.

A link works on the site and where the Markdown files are read in the repository: other Markdown files become downloads,
and folders plain text. The changelog has a page of its own.
"""

import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((\.\./[^)#\s]+)(#[^)\s]*)?\)")
PAGES = {"CHANGELOG.md": "changelog.md"}


def rewrite(text: str, page: Path, docs: Path) -> str:
    """Return the text of a page with its links to other files of the repository rewritten."""

    def replace(match: re.Match[str]) -> str:
        title, target = match[1], (page.parent / match[2]).resolve()
        if target.is_relative_to(docs):
            return match[0]
        if target.is_dir():
            return title
        if target.name in PAGES and target.parent == docs.parent:
            depth = len(page.relative_to(docs).parts) - 1
            return f"[{title}]({'../' * depth}{PAGES[target.name]})"
        return f"[{title}](path:{match[2]})" if target.suffix == ".md" else match[0]

    return LINK.sub(replace, text)


def on_source_read(app: Sphinx, name: str, source: list[str]) -> None:
    """Rewrite the source of a page in place."""
    source[0] = rewrite(source[0], Path(app.env.doc2path(name)).resolve(), Path(app.srcdir).resolve())


def setup(app: Sphinx) -> dict[str, Any]:
    """Rewrite links before pages are parsed."""
    app.connect("source-read", on_source_read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
