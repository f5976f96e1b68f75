"""Checks, before Snakemake deletes old figures, that the texts of figures can be drawn and contain no HTML."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from attention_dynamics.bounded_files import read_bounded
from attention_dynamics.choices import format_value
from attention_dynamics.config.errors import ConfigError
from attention_dynamics.config.paper import SHARED_FILE, Paper

MAX_CHARACTERS = 500
# Beginning of an HTML tag. Snakemake's report puts texts into a script without escaping, so a browser would run tags.
TAG = re.compile("<[/!a-zA-Z]")
DOLLAR = re.compile(r"(?<!\\)\$")
# Commands within \text: Matplotlib draws them literally, but LaTeX, which reads the captions, would run them.
COMMAND_IN_TEXT = re.compile(r"\\text\s*\{[^}]*(\\|\^\^)")


def check_texts(papers: Mapping[str, Paper], cache: Path | None, checked: Iterable[Paper] = ()) -> None:
    """Raise ConfigError for the first text of a paper or figure that cannot be drawn, is too long or contains HTML.

    cache: file with the SHA-256 of the texts that last passed the parser, or None for no cache. The same texts are not
    parsed again, because the import of Matplotlib takes a third of the start-up time. checked: papers whose texts have
    passed all checks; texts that are equal to one of these texts are skipped.
    """
    passed = {text for paper in checked for _, text in _texts(paper)}
    texts = {place: text for paper in papers.values() for place, text in _texts(paper) if text not in passed}
    for place, text in texts.items():
        if len(text) > MAX_CHARACTERS:
            raise ConfigError(f"{place}: has {len(text)} characters, more than {MAX_CHARACTERS}")
        for wrong, what in (
            (not text.isprintable(), "has a line break or another character that is not printed"),
            (TAG.search(text), "looks like HTML, which the report would run; put a space after <"),
            (len(DOLLAR.findall(text)) % 2, "has a $ without another one; write \\$ for the sign itself"),
            (COMMAND_IN_TEXT.search(text), "has a command in \\text{...}"),
        ):
            if wrong:
                raise ConfigError(f"{place}: {format_value(text)} {what}")
    special = {place: text for place, text in texts.items() if "$" in text or not text.isascii()}
    if cache is None:
        if special:
            _parse(special)
        return
    digest = hashlib.sha256("\n".join(sorted(special.values())).encode()).hexdigest()
    with suppress(OSError):
        if read_bounded(cache, len(digest)) == digest.encode():
            return
    _parse(special)
    with suppress(OSError):
        cache.write_text(digest)


def _parse(texts: Mapping[str, str]) -> None:
    """Raise ConfigError for the first text with an invalid formula, or with a character that is not in the font."""
    from matplotlib.cbook import is_math_text
    from matplotlib.font_manager import findfont, get_font
    from matplotlib.mathtext import MathTextParser

    from attention_dynamics.plots.style import only_style_fonts

    parser = MathTextParser("path")
    with only_style_fonts():
        glyphs = get_font(findfont("STIXGeneral")).get_charmap()
    for place, text in texts.items():
        for character in text:
            if ord(character) not in glyphs:
                raise ConfigError(f"{place}: the font has no character {character!r}")
        if is_math_text(text):
            try:
                parser.parse(text)
            except ValueError as error:
                lines = str(error).strip().splitlines()
                raise ConfigError(f"{place}: {format_value(text)} is not a valid formula ({lines[-1]})") from None


def _texts(paper: Paper) -> Iterator[tuple[str, str]]:
    """Yield (place, text) for the title of a paper and all texts of its figures; messages name the place."""
    yield f"{paper.display_paths[SHARED_FILE]}: title", paper.title
    for file, content in paper.files.items():
        for name, figure in content.figures.items():
            where = f"{paper.display_paths[file]}: figures.{name}"
            drawn = {"title": figure.title, "shows": figure.shows, "note": figure.note}
            yield from _strings(where, drawn | {"plot": figure.plot.settings.model_dump()})


def _strings(where: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield where, value
    elif isinstance(value, Mapping):
        for key, one in value.items():
            yield from _strings(f"{where}.{key}", one)
    elif isinstance(value, list | tuple):
        for number, one in enumerate(value):
            yield from _strings(f"{where}.{number}", one)
