"""The one door through which real text comes."""

from pathlib import Path
from typing import Literal

from attention_dynamics.datasets import civil_comments, imdb, inference, mnli, topics
from attention_dynamics.datasets.sources import Source, downloaded
from attention_dynamics.datasets.texts import Corpus, LabelledTexts
from attention_dynamics.datasets.wikitext import WIKITEXT2, WIKITEXT103

TextName = Literal["mnli", "civil_comments", "imdb", "wikitext2", "wikitext103"]
DOWNLOADED = {
    "mnli": mnli,
    "civil_comments": civil_comments,
    "imdb": imdb,
    "wikitext2": WIKITEXT2,
    "wikitext103": WIKITEXT103,
}
STAND_INS = {
    "mnli": inference.embedded,
    "civil_comments": topics.passages,
    "imdb": topics.passages,
    "wikitext2": topics.corpus,
    "wikitext103": topics.corpus,
}


def load_texts(
    name: TextName, source: Source, *, mirror: str | Path | None = None, cache: str | Path | None = None
) -> LabelledTexts | Corpus:
    """Texts by name and source; what is returned says what it is and where it came from.

    The WikiTexts are a ``Corpus``, the others ``LabelledTexts``; those of mnli are pairs of premise and hypothesis.

    source: "official", downloaded once and kept in ``cache`` (default: the user's cache folder); "mirror", a local
    folder ``mirror`` with the official archive or the files that the ``mirrored`` of each set tells, in it or in its
    subfolder (``mnli``, ``civil-comments``, ``imdb``, ``wikitext-2``, ``wikitext-103``); or "embedded", which needs no
    network: Python's own documentation stands in, and for mnli a generated set.

    Raises ValueError for source "mirror" without a folder, RefusedFile for a file that is not what it should be,
    Unreachable where an official file cannot be fetched.
    """
    dataset = DOWNLOADED[name]
    if source == "embedded":
        return STAND_INS[name](dataset.TITLE)
    return downloaded(name, dataset, source, mirror=mirror, cache=cache)
