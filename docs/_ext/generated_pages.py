"""Pages that the library writes: the reference of all keys, and the statements of the papers."""

from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from attention_dynamics.claims.statement_tables import list_statements
from attention_dynamics.config import key_reference
from attention_dynamics.config.load import load_config


def write_pages(app: Sphinx) -> None:
    """Write keys.md and statements.md beside the other pages, which git ignores."""
    docs = Path(app.srcdir)
    config = load_config(docs.parent / "config", {})
    pages = {
        "keys.md": key_reference.page(),
        "statements.md": list_statements({name: paper.title for name, paper in config.papers.items()}),
    }
    for name, text in pages.items():
        file = docs / name
        # The same text keeps its date, so that Sphinx does not read it again.
        if not file.is_file() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Write the pages before Sphinx looks for files."""
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
