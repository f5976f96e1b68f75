"""BERT's published vocabulary and weights: https://huggingface.co/google-bert/bert-base-uncased, Apache-2.0.

The SHA-256 of the weights is the one in the repository's pointer to them, which public projects repeat (ViPE,
WhisperX); that of the vocabulary was taken from a copy, and public projects state it too.
"""

from pathlib import Path

from numpy.typing import NDArray

from attention_dynamics.datasets.files import RefusedFile
from attention_dynamics.datasets.official import fetch, file_name, kept
from attention_dynamics.datasets.sources import Source, downloaded
from attention_dynamics.datasets.tables import lines
from attention_dynamics.datasets.vocabulary import Vocabulary
from attention_dynamics.datasets.wordpiece import UNKNOWN

REVISION = "https://huggingface.co/google-bert/bert-base-uncased/resolve/86b5e0934494bd15c9632b12f734a8a67f723594"
VOCABULARY = (f"{REVISION}/vocab.txt", "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3")
WEIGHTS = (f"{REVISION}/model.safetensors", "68d45e234eb4a928074dfd868cead0219ab85354cc53d20e772753c6bb9169d3")


class File:
    """A file of the repository, as ``datasets.sources.downloaded`` wants it. url, digest: its address and SHA-256."""

    TITLE = "bert-base-uncased"
    FOLDER = "bert"

    def __init__(self, url: str, digest: str) -> None:
        self.url, self.digest = url, digest

    def official(self, cache: Path) -> bytes:
        """Its bytes, from the cache folder or else from its address. Raises what ``official.fetch`` raises."""
        return fetch(self.url, self.digest, cache)

    def mirrored(self, folder: Path) -> bytes:
        """Its bytes, from a folder. Raises RefusedFile where it is missing there or is another file of that name."""
        if (content := kept(self.url, self.digest, folder)) is None:
            raise RefusedFile(f"{folder / file_name(self.url)}: is missing; it is {self.url}")
        return content


def load_vocabulary(source: Source, mirror: str | Path | None = None, cache: str | Path | None = None) -> Vocabulary:
    """The 30,522 pieces of ``bert-base-uncased``. source, mirror, cache: as ``datasets.load_texts`` takes them.

    Raises ValueError for source "embedded", which has none, and else what ``load_texts`` raises.
    """
    return Vocabulary(lines("vocab.txt", _content(*VOCABULARY, source, mirror, cache)), UNKNOWN)


def load_weights(
    source: Source, mirror: str | Path | None = None, cache: str | Path | None = None
) -> dict[str, NDArray]:
    """The weights of ``bert-base-uncased`` under the names in the file. Arguments and errors as of the vocabulary."""
    from safetensors.numpy import load

    return load(_content(*WEIGHTS, source, mirror, cache))


def _content(url: str, digest: str, source: Source, mirror: str | Path | None, cache: str | Path | None) -> bytes:
    if source == "embedded":
        raise ValueError(f"{File.TITLE} is not embedded: use data=official, or data=mirror data_mirror=<folder>")
    return downloaded(File.TITLE, File(url, digest), source, mirror=mirror, cache=cache)
