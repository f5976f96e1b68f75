"""Texts from mirrors and from official archives, and the command that describes them."""

import gzip
import hashlib
import re

import numpy as np
import pytest

from attention_dynamics.deep.datasets import files, sources
from attention_dynamics.deep.datasets.__main__ import main
from attention_dynamics.deep.datasets.labelled import Corpus, LabelledTexts
from attention_dynamics.deep.datasets.sources import DownloadError
from attention_dynamics.deep.datasets.texts import DOWNLOADED, WikiText2
from attention_dynamics.deep.datasets.texts import load_texts as load
from helpers import text_files as small
from helpers.data_files import COMPRESSED, write_files
from helpers.text_files import ARCHIVES, MIRRORS, WIKITEXT

NAMES = list(MIRRORS)
LABELS = ("entailment", "neutral", "contradiction")


def assert_is_the_small_set(name, data):
    assert data.name == name
    if name.startswith("wikitext"):
        assert {part: list(getattr(data, part)) for part in small.LINES} == small.LINES
        return
    for part in ("train", "test"):
        expected = {
            "imdb": [(text, label) for label, text in small.REVIEWS[part]],
            "mnli": [((premise, other), LABELS.index(label)) for premise, other, label in small.PAIRS[part]],
            "civil_comments": [(text, int(toxicity >= 0.5)) for text, toxicity in small.COMMENTS[part]],
        }[name]
        texts, labels = getattr(data, f"{part}_texts"), getattr(data, f"{part}_labels")
        assert (list(zip(texts, labels.tolist(), strict=True)), labels.dtype) == (expected, np.int64)


@pytest.fixture
def pinned(monkeypatch):
    """The small archives in place of the official ones."""
    for name, dataset in DOWNLOADED.items():
        monkeypatch.setattr(dataset, "SHA256", files.sha256(ARCHIVES[name]))
    return {name: dataset.URL.rsplit("/", 1)[1] for name, dataset in DOWNLOADED.items()}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("ending", COMPRESSED)
@pytest.mark.parametrize("inner", [True, False])
def test_mirror_files_are_found_in_folder_or_subfolder(tmp_path, name, ending, inner):
    folder, contents = MIRRORS[name]
    write_files(tmp_path / folder if inner else tmp_path, contents, ending)
    data = load(name, "mirror", mirror=tmp_path)
    assert_is_the_small_set(name, data)
    assert data.source == "mirror"


def test_note_states_share_of_official_set(tmp_path):
    for name, note in {
        "imdb": "4 of 25,000 to train on, 2 of 25,000 to test on",
        "mnli": "2 of 392,702 to train on, 1 of 9,815 to test on",
        "civil_comments": "2 of 1,804,874 to train on, 2 of 97,320 to test on",
        "wikitext2": "not the official content: wiki.train.tokens, wiki.valid.tokens, wiki.test.tokens",
    }.items():
        write_files(tmp_path / MIRRORS[name][0], MIRRORS[name][1])
        assert load(name, "mirror", mirror=tmp_path).note == note


def test_official_content_of_wikitext_is_known(monkeypatch, tmp_path):
    sums = {name.split(".")[1]: hashlib.sha1(content).hexdigest() for name, content in WIKITEXT.items()}
    monkeypatch.setattr(WikiText2, "SHA1", sums)
    write_files(tmp_path, WIKITEXT, ".gz")
    assert load("wikitext2", "mirror", mirror=tmp_path).note == "the official content"


def test_all_training_pairs_are_preferred_to_subset(tmp_path):
    more = small.table(("premise", "hypothesis", "label"), [("x", "y", "neutral")] * 5)
    write_files(tmp_path, MIRRORS["mnli"][1] | {"mnli_train.csv": more})
    assert len(load("mnli", "mirror", mirror=tmp_path).train_texts) == 5


@pytest.mark.parametrize("name", NAMES)
def test_official_archives_match_mirror(pinned, tmp_path, name):
    folder, contents = MIRRORS[name]
    write_files(tmp_path / "mirror", contents)
    write_files(tmp_path / "cache" / folder, {pinned[name]: ARCHIVES[name]})
    data = load(name, "official", cache=tmp_path / "cache")
    assert_is_the_small_set(name, data)
    assert (data.source, data.note) == ("official", "")
    assert data.digest == load(name, "mirror", mirror=tmp_path / "mirror").digest
    archived = load(name, "mirror", mirror=tmp_path / "cache")
    assert (archived.digest, archived.source, archived.note) == (data.digest, "mirror", "the official archive")


@pytest.mark.parametrize("name", NAMES)
def test_other_archive_is_refused_with_name(pinned, tmp_path, name):
    write_files(tmp_path, {pinned[name]: ARCHIVES[name][:-1], **MIRRORS[name][1]})
    message = rf"{re.escape(pinned[name])}: has SHA-256 [0-9a-f]{{64}}, expected"
    with pytest.raises(files.InvalidDataFile, match=message):
        load(name, "mirror", mirror=tmp_path)


@pytest.mark.parametrize("name", NAMES)
def test_missing_network_is_reported_with_alternatives(monkeypatch, tmp_path, name):
    pytest.importorskip("pooch", reason="the official source needs the extra 'data'")
    monkeypatch.setattr(sources, "RETRIES", 0)
    monkeypatch.setenv("NO_PROXY", "localhost")
    url = "https://localhost:1/archive.zip"
    monkeypatch.setattr(DOWNLOADED[name], "URL", url)
    said = f"^{url} could not be fetched.*data=mirror data_mirror=<folder>.*data=embedded[^\n]*$"
    with pytest.raises(DownloadError, match=said):
        load(name, "official", cache=tmp_path)
    assert not list(tmp_path.iterdir())


WRONG_FILES = [
    ("imdb", "imdb_test.csv", lambda d: d.replace(b"text", b"body"), "column text is missing; expected label, te"),
    ("imdb", "imdb_test.csv", lambda d: d[:-5], "its last line is incomplete"),
    ("imdb", "imdb_test.csv", lambda d: d[:-7] + b"\r\n", "row 2 has 3 columns, expected 4"),
    ("imdb", "imdb_train.csv", lambda d: d[:60] + b"\n", "row 1 cannot be read"),
    ("imdb", "imdb_train.csv", lambda d: d.replace(b"\r\n1,", b"\r\n-1,"), "row 3 has label '-1', expected 0, 1"),
    ("imdb", "imdb_test.csv", lambda d: d + b"1,9,9,\xff\r\n", "is not UTF-8"),
    ("imdb", "imdb_test.csv", lambda d: d.split(b"\n")[0] + b"\n", "has no rows"),
    ("imdb", "imdb_test.csv", lambda d: b"", "is empty"),
    ("mnli", "mnli_dev_matched.csv", lambda d: d.replace(b"neutral", b"maybe"), "row 1 has label 'maybe'"),
    ("civil_comments", "civil_comments_test.csv", lambda d: d.replace(b"1.0", b"1.5"), "row 2 has toxicity '1.5'"),
    ("civil_comments", "civil_comments_test.csv", lambda d: d.replace(b"1.0", b"?"), "row 2 .*expected 0 to 1"),
    ("wikitext2", "wiki.test.tokens", lambda d: d[:-2], "its last line is incomplete"),
    ("wikitext103", "wiki.test.tokens", lambda d: d.replace(b"b", b"\xff"), "is not UTF-8"),
]


@pytest.mark.parametrize(("name", "file", "change", "says"), WRONG_FILES)
def test_wrong_file_is_refused_with_name(tmp_path, name, file, change, says):
    contents = MIRRORS[name][1]
    write_files(tmp_path, contents | {file: change(contents[file])}, ".gz")
    with pytest.raises(files.InvalidDataFile, match=f"{file}.gz: .*{says}"):
        load(name, "mirror", mirror=tmp_path)


@pytest.mark.parametrize(("name", "file"), [(name, file) for name in NAMES for file in MIRRORS[name][1]])
def test_truncated_or_missing_file_is_refused_with_name(tmp_path, name, file):
    write_files(tmp_path, MIRRORS[name][1], ".gz")
    path = tmp_path / f"{file}.gz"
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(files.InvalidDataFile, match=f"{file}.gz: cannot be decompressed"):
        load(name, "mirror", mirror=tmp_path)
    path.unlink()
    archive = DOWNLOADED[name].URL.rsplit("/", 1)[1]
    with pytest.raises(files.InvalidDataFile, match=rf"{file}.gz: is missing; expected .*\(.gz\), or {archive}$"):
        load(name, "mirror", mirror=tmp_path)


def test_oversized_file_is_not_read(monkeypatch, tmp_path):
    monkeypatch.setattr(files, "MAX_FILE_BYTES", 2000)
    write_files(tmp_path, WIKITEXT | {"wiki.valid.tokens": bytes(10**6)}, ".gz")
    with pytest.raises(files.InvalidDataFile, match=r"wiki.valid.tokens.gz: is larger than 2000 bytes"):
        load("wikitext2", "mirror", mirror=tmp_path)


def test_digest_depends_only_on_texts_and_labels():
    labels = np.array([0, 1])
    given_data = (("ab", "c"), labels, ("d",), labels[:1], ("x", "y"))
    digest = LabelledTexts(*given_data, "imdb", "mirror", "").digest
    assert LabelledTexts(*given_data, "other", "official", "n").digest == digest
    changes = {0: ("a", "bc"), 1: labels[::-1], 2: ("e",), 3: labels[1:], 4: ("y", "x")}
    for place, value in changes.items():
        changed = [value if k == place else old for k, old in enumerate(given_data)]
        assert LabelledTexts(*changed, "imdb", "mirror", "").digest != digest
    assert Corpus(("a",), (), (), "w", "mirror", "").digest != Corpus((), ("a",), (), "w", "mirror", "").digest
    with pytest.raises(ValueError, match="imdb: train has 2 texts but 1 labels"):
        LabelledTexts(("a", "b"), labels[:1], (), labels[:0], ("x",), "imdb", "mirror", "")


def test_command_describes_data_set_or_fails_in_one_line(tmp_path, capsys):
    write_files(tmp_path, MIRRORS["imdb"][1], ".gz")
    main(["imdb", "--source", "mirror", "--mirror", str(tmp_path)])
    digest = load("imdb", "mirror", mirror=tmp_path).digest
    assert capsys.readouterr().out.startswith(
        f"imdb (mirror): 4 + 2 texts in 2 classes, {digest}, 4 of 25,000 to train"
    )
    (tmp_path / "imdb_test.csv.gz").write_bytes(gzip.compress(b"label,text\r\n2,x\r\n"))
    with pytest.raises(SystemExit, match=r"^[^\n]*imdb_test.csv.gz: row 1 has label '2', expected 0, 1$"):
        main(["imdb", "--source", "mirror", "--mirror", str(tmp_path)])
    with pytest.raises(SystemExit, match=r"^imdb: upscaled applies to images only$"):
        main(["imdb", "--source", "embedded", "--upscaled"])
