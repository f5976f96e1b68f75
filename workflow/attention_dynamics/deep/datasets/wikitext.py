"""WikiText-2 and WikiText-103, by words (Merity et al. 2017): https://wikitext.smerity.com; CC BY-SA.

The address is the first author's; the former one, s3.amazonaws.com/research.metamind.io, is closed. The SHA-256 of the
archives are the ones in huggingface/datasets (datasets/wikitext/dataset_infos.json) and, except for the first author's
address, in JuliaText/CorpusLoaders.jl (src/WikiText.jl).
"""

import hashlib
from pathlib import Path
from typing import NamedTuple

from attention_dynamics.deep.datasets.archives import read_zip_file
from attention_dynamics.deep.datasets.files import find_all_files
from attention_dynamics.deep.datasets.labelled_texts import Corpus
from attention_dynamics.deep.datasets.official import fetch, file_name, find_local_copy
from attention_dynamics.deep.datasets.text_parsing import read_content, split_lines

FILES = {part: f"wiki.{part}.tokens" for part in ("train", "valid", "test")}


class WikiText(NamedTuple):
    """A corpus of the two. SHA1: of the three files, as in dmlc/gluon-nlp; for a note, not for safety."""

    NAME: str
    TITLE: str
    FOLDER: str
    URL: str
    SHA256: str
    SHA1: dict[str, str]

    def load_official(self, cache: Path) -> Corpus:
        """Return the official set. Raises what ``official.fetch`` and ``unpack`` raise."""
        return Corpus(
            **unpack(self.URL, fetch(self.URL, self.SHA256, cache)), name=self.NAME, source="official", note=""
        )

    def load_mirror(self, folder: Path) -> Corpus:
        """Return the set in a folder with the official archive or else with its three files, uncompressed or
        compressed.

        The note says whether they have the official content. Raises InvalidDataFile for a file that is missing, cannot
        be read to its end, or breaks off within a line.
        """
        if (archive := find_local_copy(self.URL, self.SHA256, folder)) is not None:
            return Corpus(
                **unpack(file_name(self.URL), archive), name=self.NAME, source="mirror", note="the official archive"
            )
        paths = find_all_files(folder, FILES.values(), instead=file_name(self.URL))
        parts: dict[str, tuple[str, ...]] = {}
        differing = []
        for part, file in FILES.items():
            data = read_content(paths[file])
            parts[part] = split_lines(paths[file], data)
            if hashlib.sha1(data, usedforsecurity=False).hexdigest() != self.SHA1[part]:
                differing.append(paths[file].name)
        note = f"not the official content: {', '.join(differing)}" if differing else "the official content"
        return Corpus(**parts, name=self.NAME, source="mirror", note=note)


def unpack(name: str, archive: bytes) -> dict[str, tuple[str, ...]]:
    """Return the lines of "train", "valid" and "test" in an official archive.

    Raises InvalidDataFile where one is missing.
    """
    return {part: split_lines(f"{name} ({file})", read_zip_file(name, archive, file)) for part, file in FILES.items()}


WIKITEXT2 = WikiText(
    "wikitext2",
    "WikiText-2",
    "wikitext-2",
    "https://wikitext.smerity.com/wikitext-2-v1.zip",
    "92675f1d63015c1c8b51f1656a52d5bdbc33aafa60cc47a218a66e7ee817488c",
    {
        "train": "863f29c46ef9d167fff4940ec821195882fe29d1",
        "valid": "0418625c8b4da6e4b5c7a0b9e78d4ae8f7ee5422",
        "test": "c7b8ce0aa086fb34dab808c5c49224211eb2b172",
    },
)
WIKITEXT103 = WikiText(
    "wikitext103",
    "WikiText-103",
    "wikitext-103",
    "https://wikitext.smerity.com/wikitext-103-v1.zip",
    "242ba0f20b329cfdf1ccc61e9e9e5b59becf189db7f7a81cd2a0e2fc31539590",
    {
        "train": "b7497e2dfe77e72cfef5e3dbc61b7b53712ac211",
        "valid": "c326ac59dc587676d58c422eb8a03e119582f92b",
        "test": "8a5befc548865cec54ed4273cf87dbbad60d1e47",
    },
)
