"""Loading of texts."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from attention_dynamics.deep.datasets import civil_comments, generated_inference, imdb, mnli, topics
from attention_dynamics.deep.datasets.labelled_texts import Corpus, LabelledTexts
from attention_dynamics.deep.datasets.sources import load_dataset
from attention_dynamics.deep.datasets.wikitext import WIKITEXT2, WIKITEXT103
from attention_dynamics.types import DataSource

TextName = Literal["mnli", "civil_comments", "imdb", "wikitext2", "wikitext103"]
DOWNLOADED: dict[str, Any] = {
    "mnli": mnli,
    "civil_comments": civil_comments,
    "imdb": imdb,
    "wikitext2": WIKITEXT2,
    "wikitext103": WIKITEXT103,
}
STAND_INS: dict[str, Callable[[str], LabelledTexts | Corpus]] = {
    "mnli": generated_inference.load_embedded,
    "civil_comments": topics.load_passages,
    "imdb": topics.load_passages,
    "wikitext2": topics.load_corpus,
    "wikitext103": topics.load_corpus,
}


def load_texts(
    name: TextName, source: DataSource, *, mirror: str | Path | None = None, cache: str | Path | None = None
) -> LabelledTexts | Corpus:
    """Return texts by name and source, with a note on what they are and where they came from.

    The WikiTexts are a ``Corpus``, the others ``LabelledTexts``; those of mnli are pairs of premise and hypothesis.

    source: "official", downloaded once and kept in ``cache`` (default: the user's cache folder); "mirror", a local
    folder ``mirror`` with the official archive or the files that its module's ``load_mirror`` describes, in it or in
    its subfolder (``mnli``, ``civil-comments``, ``imdb``, ``wikitext-2``, ``wikitext-103``); or "embedded", which needs
    no network: Python's own documentation stands in, and for mnli a generated set.

    Raises ValueError for source "mirror" without a folder, InvalidDataFile for a file that is missing or invalid,
    DownloadError where an official file cannot be fetched.
    """
    dataset = DOWNLOADED[name]
    if source == "embedded":
        return STAND_INS[name](dataset.TITLE)
    texts: LabelledTexts | Corpus = load_dataset(name, dataset, source, mirror=mirror, cache=cache)
    return texts
