"""BERT's published vocabulary and weights: https://huggingface.co/google-bert/bert-base-uncased, Apache-2.0.

The SHA-256 of the weights is the one in the repository's pointer to them, which public projects repeat (ViPE,
WhisperX); that of the vocabulary was computed from a copy, and public projects state it too.
"""

from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from attention_dynamics.deep.datasets.files import InvalidDataFile, split_lines
from attention_dynamics.deep.datasets.sources import PublishedDataset, fetch, file_name, find_local_copy
from attention_dynamics.deep.datasets.tokens import UNKNOWN, Vocabulary
from attention_dynamics.types import DataSource

REVISION = "https://huggingface.co/google-bert/bert-base-uncased/resolve/86b5e0934494bd15c9632b12f734a8a67f723594"
VOCABULARY = (f"{REVISION}/vocab.txt", "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3")
WEIGHTS = (f"{REVISION}/model.safetensors", "68d45e234eb4a928074dfd868cead0219ab85354cc53d20e772753c6bb9169d3")


class PublishedFile(PublishedDataset[bytes]):
    """A file of the repository. url, digest: its address and SHA-256."""

    NAME, FOLDER = "bert-base-uncased", "bert"

    def __init__(self, url: str, digest: str) -> None:
        self.url, self.digest = url, digest

    def load_official(self, cache: Path) -> bytes:
        """Return its bytes, from the cache folder or else from its address. Raises what ``fetch`` raises."""
        return fetch(self.url, self.digest, cache)

    def load_mirror(self, folder: Path) -> bytes:
        """Return its bytes, from a folder.

        Raises InvalidDataFile where it is missing or is another file of that name.
        """
        if (content := find_local_copy(self.url, self.digest, folder)) is None:
            raise InvalidDataFile(f"{folder / file_name(self.url)}: is missing; it is {self.url}")
        return content


def load_vocabulary(
    source: DataSource, mirror: str | Path | None = None, cache: str | Path | None = None
) -> Vocabulary:
    """Return the 30,522 pieces of ``bert-base-uncased``. source, mirror, cache: as of ``load_texts``.

    Raises ValueError for source "embedded", which has none, and else what ``load_texts`` raises.
    """
    return Vocabulary(split_lines("vocab.txt", _content(*VOCABULARY, source, mirror, cache)), UNKNOWN)


def load_weights(
    source: DataSource, mirror: str | Path | None = None, cache: str | Path | None = None
) -> dict[str, NDArray[Any]]:
    """Return the weights of ``bert-base-uncased`` under the names in the file.

    Arguments and errors are as of ``load_vocabulary``.
    """
    from safetensors.numpy import load

    return load(_content(*WEIGHTS, source, mirror, cache))


def _content(url: str, digest: str, source: DataSource, mirror: str | Path | None, cache: str | Path | None) -> bytes:
    if source == "embedded":
        raise ValueError(
            f"{PublishedFile.NAME} is not embedded: use data=official, or data=mirror data_mirror=<folder>"
        )
    return PublishedFile(url, digest).load(source, mirror, cache)
