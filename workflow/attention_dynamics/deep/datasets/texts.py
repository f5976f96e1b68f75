"""Loading of texts: MNLI, Civil Comments, IMDb, WikiText-2 and WikiText-103, and their stand-ins."""

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar, Literal

import numpy as np

from attention_dynamics.deep.datasets.files import (
    InvalidDataFile,
    describe_share,
    find_all_files,
    find_files,
    number_labels,
    read_content,
    read_rows,
    read_tar,
    read_zip_file,
    split_lines,
)
from attention_dynamics.deep.datasets.inference import CLASSES, load_inference
from attention_dynamics.deep.datasets.labelled import Classes, Corpus, LabelledTexts, Passage
from attention_dynamics.deep.datasets.sources import TITLES, ArchivedDataset, file_name
from attention_dynamics.deep.datasets.stand_ins import load_corpus, load_passages
from attention_dynamics.types import DataSource

TextName = Literal["mnli", "civil_comments", "imdb", "wikitext2", "wikitext103"]
# The training or test texts of a data set, and their labels.
Part = tuple[tuple[Passage, ...], Classes]


class ArchivedPassages(ArchivedDataset[LabelledTexts]):
    """Texts with classes, in an archive or in two tables of comma-separated values.

    CLASSES: names of the classes. OFFICIAL_SIZES: numbers of training and test texts in the official set.
    """

    CLASSES: ClassVar[tuple[str, ...]]
    OFFICIAL_SIZES: ClassVar[tuple[int, int]]

    def tables(self, folder: Path) -> dict[str, str]:
        """Return the names of the files with the training and test tables, under the keys "train" and "test"."""
        return {part: f"{self.NAME}_{part}.csv" for part in ("train", "test")}

    def read_table(self, name: str | Path, data: bytes) -> Part:
        """Return the texts and labels of a table. name: name of the file, for messages. data: content of the file."""
        raise NotImplementedError

    def read_files(self, folder: Path) -> tuple[dict[str, Part], str]:
        """See ``ArchivedDataset.read_files``; the note says how many of the official texts the files have."""
        tables = self.tables(folder)
        paths = find_all_files(folder, tables.values(), instead=file_name(self.URL))
        parts = {part: self.read_table(paths[name], read_content(paths[name])) for part, name in tables.items()}
        return parts, describe_share(parts, self.OFFICIAL_SIZES)

    def build(self, parts: Mapping[str, Part], source: DataSource, note: str) -> LabelledTexts:
        """See ``ArchivedDataset.build``."""
        return LabelledTexts(*parts["train"], *parts["test"], self.CLASSES, self.NAME, source, note)


class Mnli(ArchivedPassages):
    """MNLI (Williams, Nangia and Bowman 2018): https://cims.nyu.edu/~sbowman/multinli.

    The test pairs are those of ``dev_matched``: the official test pairs have no public labels. The SHA-256 of the
    archive is the one in tensorflow/datasets (url_checksums/multi_nli.txt, for this address) and in
    facebookresearch/ParlAI (parlai/tasks/multinli/build.py). Tables have columns ``premise``, ``hypothesis`` and
    ``label`` (one of ``CLASSES``).
    """

    NAME, FOLDER, CLASSES, OFFICIAL_SIZES = "mnli", "mnli", CLASSES, (392_702, 9_815)
    URL = "https://cims.nyu.edu/~sbowman/multinli/multinli_1.0.zip"
    SHA256 = "049f507b9e36b1fcb756cfd5aeb3b7a0cfcb84bf023793652987f7e7e0957822"
    MEMBERS: ClassVar = {"train": "multinli_1.0_train.jsonl", "test": "multinli_1.0_dev_matched.jsonl"}
    # The label of pairs on which annotators did not agree; they are left out, as usual.
    NO_LABEL = "-"

    def unpack(self, name: str, archive: bytes) -> dict[str, Part]:
        """See ``ArchivedDataset.unpack``. Pairs without label are left out; raises also for an unknown label."""
        found = {}
        for part, member in self.MEMBERS.items():
            place = f"{name} ({member})"
            records = [json.loads(line) for line in split_lines(place, read_zip_file(name, archive, member))]
            found[part] = self._part(place, [(r["sentence1"], r["sentence2"], r["gold_label"]) for r in records])
        return found

    def tables(self, folder: Path) -> dict[str, str]:
        """See ``ArchivedPassages.tables``. Without ``mnli_train.csv``, a subset is read: ``mnli_train_subset.csv``."""
        train = "mnli_train.csv" if find_files(folder, ["mnli_train.csv"]) else "mnli_train_subset.csv"
        return {"train": train, "test": "mnli_dev_matched.csv"}

    def read_table(self, name: str | Path, data: bytes) -> Part:
        """See ``ArchivedPassages.read_table``."""
        return self._part(name, list(read_rows(name, data, ("premise", "hypothesis", "label"))))

    def _part(self, name: str | Path, rows: list[tuple[str, ...]]) -> Part:
        labelled = [row for row in rows if row[2] != self.NO_LABEL]
        numbers = {label: number for number, label in enumerate(self.CLASSES)}
        labels = number_labels(name, [label for *_, label in labelled], numbers)
        return tuple((premise, hypothesis) for premise, hypothesis, _ in labelled), labels


class CivilComments(ArchivedPassages):
    """Civil Comments (Borkan et al. 2019), as Jigsaw released it for the Unintended Bias competition; CC0.

    A comment is toxic where at least half of its annotators say so. The test comments are those of the private
    leaderboard. The SHA-256 of the archive is the one in tensorflow/datasets (url_checksums/civil_comments.txt) and in
    huggingface/datasets (civil_comments/dataset_infos.json). Tables have columns ``comment_text`` and ``toxicity`` (the
    share of annotators, 0 to 1).
    """

    NAME, FOLDER, CLASSES, OFFICIAL_SIZES = (
        "civil_comments", "civil-comments", ("not toxic", "toxic"), (1_804_874, 97_320),
    )  # fmt: skip
    URL = "https://storage.googleapis.com/jigsaw-unintended-bias-in-toxicity-classification/civil_comments.zip"
    SHA256 = "767b71a3d9dc7a2eceb234d0c3e7e38604e11f59c12ba1cbb888ffd4ce6b6271"
    THRESHOLD = 0.5
    # Part -> file in the archive, and its column of toxicity, which has another name in the training file.
    MEMBERS: ClassVar = {"train": ("train.csv", "target"), "test": ("test_private_expanded.csv", "toxicity")}

    def unpack(self, name: str, archive: bytes) -> dict[str, Part]:
        """See ``ArchivedDataset.unpack``. Also raises InvalidDataFile for a table that ``read_table`` cannot read."""
        return {
            part: self.read_table(f"{name} ({member})", read_zip_file(name, archive, member), column)
            for part, (member, column) in self.MEMBERS.items()
        }

    def read_table(self, name: str | Path, data: bytes, column: str = "toxicity") -> Part:
        """See ``ArchivedPassages.read_table``."""
        texts, shares = zip(*read_rows(name, data, ("comment_text", column)), strict=True)
        toxic = [self._share(name, k, text) >= self.THRESHOLD for k, text in enumerate(shares, 1)]
        return texts, np.array(toxic, dtype=np.int64)

    @staticmethod
    def _share(name: str | Path, row: int, text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = np.nan
        if not 0 <= value <= 1:
            raise InvalidDataFile(f"{name}: row {row} has toxicity {text!r}, expected 0 to 1")
        return value


class Imdb(ArchivedPassages):
    """IMDb, the Large Movie Review Dataset (Maas et al. 2011): https://ai.stanford.edu/~amaas/data/sentiment.

    The SHA-256 of the archive is the one in tensorflow/datasets (url_checksums/imdb_reviews.txt) and in JuliaText/
    CorpusLoaders.jl (src/IMDB_DataDeps.jl). Tables have columns ``label`` (1 for positive) and ``text``.
    """

    NAME, FOLDER, CLASSES, OFFICIAL_SIZES = "imdb", "imdb", ("negative", "positive"), (25_000, 25_000)
    URL = "https://ai.stanford.edu/~amaas/data/sentiment/aclImdb_v1.tar.gz"
    SHA256 = "c40f74a18d3b61f90feba1e17730e0d38e8b97c05fde7008942e91923d1658fe"
    FOLDERS: ClassVar = {"neg": 0, "pos": 1}

    def unpack(self, name: str, archive: bytes) -> dict[str, Part]:
        """Return the parts "train" and "test" of the official archive, each (texts, labels).

        Negative reviews come first, then positive ones, both ordered by the number in the file name. Raises
        InvalidDataFile for an archive without one of the four folders of reviews, and what ``read_tar`` raises.
        """
        found: dict[tuple[str, int], list[tuple[int, str]]] = {}
        for path, data in read_tar(name, archive, self._is_review):
            part, folder = path.parts[-3:-1]
            found.setdefault((part, self.FOLDERS[folder]), []).append((int(path.stem.split("_")[0]), data.decode()))
        result: dict[str, Part] = {}
        for part in ("train", "test"):
            for folder, label in self.FOLDERS.items():
                if (part, label) not in found:
                    raise InvalidDataFile(f"{name}: {part}/{folder} is missing")
            texts = [[text for _, text in sorted(found[part, label])] for label in range(2)]
            result[part] = (*texts[0], *texts[1]), np.repeat(np.arange(2), [len(texts[0]), len(texts[1])])
        return result

    def _is_review(self, path: PurePosixPath) -> bool:
        folder = path.parent
        return path.suffix == ".txt" and folder.name in self.FOLDERS and folder.parent.name in ("train", "test")

    def read_table(self, name: str | Path, data: bytes) -> Part:
        """See ``ArchivedPassages.read_table``."""
        labels, texts = zip(*read_rows(name, data, ("label", "text")), strict=True)
        return texts, number_labels(name, labels, {"0": 0, "1": 1})


class WikiText2(ArchivedDataset[Corpus]):
    """WikiText-2, split into words (Merity et al. 2017): https://wikitext.smerity.com; CC BY-SA.

    The address is the first author's; the former one, s3.amazonaws.com/research.metamind.io, is closed. The SHA-256 of
    the archive is the one in huggingface/datasets (datasets/wikitext/dataset_infos.json) and, with another address, in
    JuliaText/CorpusLoaders.jl (src/WikiText.jl). SHA1: digests of the three files, from dmlc/gluon-nlp. They serve only
    for the note on whether a mirror has the official content, not for safety.
    """

    NAME, FOLDER = "wikitext2", "wikitext-2"
    URL = "https://wikitext.smerity.com/wikitext-2-v1.zip"
    SHA256 = "92675f1d63015c1c8b51f1656a52d5bdbc33aafa60cc47a218a66e7ee817488c"
    SHA1: ClassVar = {
        "train": "863f29c46ef9d167fff4940ec821195882fe29d1",
        "valid": "0418625c8b4da6e4b5c7a0b9e78d4ae8f7ee5422",
        "test": "c7b8ce0aa086fb34dab808c5c49224211eb2b172",
    }
    FILES: ClassVar = {part: f"wiki.{part}.tokens" for part in ("train", "valid", "test")}

    def unpack(self, name: str, archive: bytes) -> dict[str, tuple[str, ...]]:
        """See ``ArchivedDataset.unpack``."""
        return {
            part: split_lines(f"{name} ({file})", read_zip_file(name, archive, file))
            for part, file in self.FILES.items()
        }

    def read_files(self, folder: Path) -> tuple[dict[str, tuple[str, ...]], str]:
        """See ``ArchivedDataset.read_files``; the note says whether the three files have the official content."""
        paths = find_all_files(folder, self.FILES.values(), instead=file_name(self.URL))
        parts: dict[str, tuple[str, ...]] = {}
        differing = []
        for part, file in self.FILES.items():
            data = read_content(paths[file])
            parts[part] = split_lines(paths[file], data)
            if hashlib.sha1(data, usedforsecurity=False).hexdigest() != self.SHA1[part]:
                differing.append(paths[file].name)
        note = f"not the official content: {', '.join(differing)}" if differing else "the official content"
        return parts, note

    def build(self, parts: Mapping[str, tuple[str, ...]], source: DataSource, note: str) -> Corpus:
        """See ``ArchivedDataset.build``."""
        return Corpus(**parts, name=self.NAME, source=source, note=note)


class WikiText103(WikiText2):
    """WikiText-103, which is 50 times as long as WikiText-2 and otherwise like it."""

    NAME, FOLDER = "wikitext103", "wikitext-103"
    URL = "https://wikitext.smerity.com/wikitext-103-v1.zip"
    SHA256 = "242ba0f20b329cfdf1ccc61e9e9e5b59becf189db7f7a81cd2a0e2fc31539590"
    SHA1: ClassVar = {
        "train": "b7497e2dfe77e72cfef5e3dbc61b7b53712ac211",
        "valid": "c326ac59dc587676d58c422eb8a03e119582f92b",
        "test": "8a5befc548865cec54ed4273cf87dbbad60d1e47",
    }


DOWNLOADED: dict[str, ArchivedDataset[Any]] = {
    one.NAME: one for one in (Mnli(), CivilComments(), Imdb(), WikiText2(), WikiText103())
}
STAND_INS: dict[str, Callable[[str], LabelledTexts | Corpus]] = {
    "mnli": load_inference, "civil_comments": load_passages, "imdb": load_passages, "wikitext2": load_corpus,
    "wikitext103": load_corpus,
}  # fmt: skip


def load_texts(
    name: TextName, source: DataSource, *, mirror: str | Path | None = None, cache: str | Path | None = None
) -> LabelledTexts | Corpus:
    """Return texts by name and source, with a note on what they are and where they came from.

    The WikiTexts are a ``Corpus``, the others ``LabelledTexts``; those of mnli are pairs of premise and hypothesis.

    source: "official", downloaded once and kept in ``cache`` (default: the user's cache folder); "mirror", the official
    archive, or the files that ``read_files`` of the data set's class reads, in the local folder ``mirror`` or its
    subfolder (``mnli``, ``civil-comments``, ``imdb``, ``wikitext-2``, ``wikitext-103``); or "embedded", which needs no
    download: Python's own documentation stands in, and for mnli a generated set.

    Raises ValueError for source "mirror" without a folder.
    Raises InvalidDataFile for a file that is missing or invalid.
    Raises DownloadError if an official file cannot be fetched.
    """
    if source == "embedded":
        return STAND_INS[name](TITLES[name][0])
    texts: LabelledTexts | Corpus = DOWNLOADED[name].load(source, mirror, cache)
    return texts
