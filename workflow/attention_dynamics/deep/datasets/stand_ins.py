"""Stand-ins for data sets, which need no download: scikit-learn's digits, and the documentation of Python.

The embedded English text is the language documentation of Python 3.11, its module ``pydoc_data.topics``. A copy is kept
here, because the text differs by a few per cent between versions of Python. Many topics repeat parts of others; each
sentence is kept only in the longest topic that has it.
"""

import json
import lzma
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from attention_dynamics.deep.datasets.files import check_digest
from attention_dynamics.deep.datasets.labelled import Classes, Corpus, Images, LabelledTexts, Pixels

# Topics as JSON. Jobs are rerun when code changes, not when this file does; therefore the code has the file's digest.
DOCUMENTATION = Path(__file__).with_name("python_documentation.json.xz")
DOCUMENTATION_SHA256 = "00cd729de8406210fa9746b150851489cf11d5e122db4d1ca8a626f17b4be639"

# Handwritten digits: side in pixels, and largest value of a pixel. One of FOLDS images is for testing.
SIDE, MAX_VALUE, FOLDS = 8, 16, 5
# Pairs of digits in each of the 100 classes, and the seed with which they are drawn.
TRAIN_PAIRS, TEST_PAIRS, PAIR_SEED = 40, 10, 0
# Two groups of topics with about equal amounts of text, the classes of ``load_passages``.
GROUPS = {
    "data model": ("specialnames", "types", "objects", "execmodel"),
    "statements and built-in types": (
        "compound", "string-methods", "formatstrings", "typesseq", "typesmapping", "assignment", "import", "strings",
    ),
}  # fmt: skip
PASSAGE_SENTENCES = 3
TEST_SHARE = 0.25
SPLIT_SHARES = {"train": 0.8, "valid": 0.1, "test": 0.1}
BULLET = re.compile(r"^(?:\* |\d+\. |\[\d+\] )")
CODE = re.compile(r"::=|>>>")
SENTENCE_END = re.compile(r"(?<=[.!?:])\s+(?=[A-Z\"*])")
TOKEN = re.compile(r"\w+|[^\w\s]")


def load_digits(shape: tuple[int, int, int] = (SIDE, SIDE, 1), note: str = "") -> Images:
    """Return handwritten digits of 8 x 8 pixels that come with scikit-learn (UCI; Alpaydin, Kaynak 1998).

    1,437 images are to train on and 360 to test on. With the images sorted by class, every fifth is for the test, so
    that the test has a fifth of each class, to within one image. Both parts keep scikit-learn's order.

    Pixels v = 0, ..., 16 become x = round(255 v / 16), so that v = round(16 x / 255).
    shape: (H, W, C) of the images; see ``upscale``. Raises what ``upscale`` raises.
    """
    # Imported here, because scikit-learn takes a second to import and only this data set needs it.
    from sklearn import datasets

    data = datasets.load_digits()
    images = upscale(np.rint(data.images * (255 / MAX_VALUE)).astype(np.uint8), shape)
    labels = data.target.astype(np.int64)
    test = np.zeros(len(labels), dtype=bool)
    test[np.argsort(labels, kind="stable")[::FOLDS]] = True
    return Images(images[~test], labels[~test], images[test], labels[test], "digits", "embedded", note)


def load_digit_pairs(shape: tuple[int, int, int] = (SIDE, 2 * SIDE, 1), note: str = "") -> Images:
    """Return images of two digits side by side, 8 x 16 pixels. With a left and b right, the class is 10 a + b.

    4,000 pairs are drawn from the training digits of ``load_digits`` and 1,000 from its test digits, with a fixed seed.
    The first 100 pairs have every class once, in random order, and so have the next 100, and so on. shape: (H, W, C) of
    the images; see ``upscale``.

    Scikit-learn comes with no images of a hundred classes. Single digits in ten colors or at ten places would have a
    hundred, but color and place can be told without reading the digit. In a pair, both digits must be read.
    """
    digits, rng = load_digits(), np.random.default_rng(PAIR_SEED)
    parts: list[tuple[Pixels, Classes]] = []
    for images, labels, count in (
        (digits.train_images, digits.train_labels, TRAIN_PAIRS),
        (digits.test_images, digits.test_labels, TEST_PAIRS),
    ):
        classes = np.concatenate([rng.permutation(100) for _ in range(count)])
        of_digit = [np.flatnonzero(labels == digit) for digit in range(10)]
        left, right = (images[[rng.choice(of_digit[k]) for k in places]] for places in (classes // 10, classes % 10))
        parts.append((upscale(np.concatenate([left, right], axis=2)[..., 0], shape), classes))
    return Images(*parts[0], *parts[1], "digit_pairs", "embedded", note, 100)


def upscale(images: Pixels, shape: tuple[int, int, int]) -> Pixels:
    """Enlarge images (N, h, w) to (N, H, W, C): each pixel becomes a square as large as fits; the margin is zero.

    shape: (H, W, C). The C channels are equal. 8 x 8 pixels become 28 x 28 with squares of 3 x 3 and a margin of 2, or
    32 x 32 with squares of 4 x 4. Raises ValueError if H < h or W < w.
    """
    height, width, channels = shape
    sides = images.shape[1:]
    factor = min(height // sides[0], width // sides[1])
    if factor < 1:
        raise ValueError(f"shape: {height} x {width} is smaller than {sides[0]} x {sides[1]}")
    squares = images.repeat(factor, axis=1).repeat(factor, axis=2)
    free = [whole - side * factor for whole, side in zip((height, width), sides, strict=True)]
    margins = [(room // 2, (room + 1) // 2) for room in free]
    return np.pad(squares, [(0, 0), *margins])[..., None].repeat(channels, axis=-1)


def read_sentences() -> dict[str, list[list[str]]]:
    """Return topic -> list of paragraphs, each a list of its sentences of prose. The longest topics come first.

    Sentences have four words or more, and none occurs twice. Raises InvalidDataFile if the file of the documentation
    does not have DOCUMENTATION_SHA256.
    """
    content = check_digest(DOCUMENTATION, DOCUMENTATION.read_bytes(), DOCUMENTATION_SHA256)
    topics: dict[str, str] = json.loads(lzma.decompress(content))
    seen: set[str] = set()
    result = {}
    for topic in sorted(topics, key=lambda topic: (-len(topics[topic]), topic)):
        paragraphs = []
        for paragraph in select_prose(topics[topic]):
            new = [s for s in dict.fromkeys(SENTENCE_END.split(paragraph)) if s not in seen and len(s.split()) > 3]
            seen.update(new)
            paragraphs += [new] if new else []
        if paragraphs:
            result[topic] = paragraphs
    return result


def select_prose(text: str) -> Iterator[str]:
    """Yield the paragraphs of prose, each as one line, without the bullet or number before it.

    A paragraph is taken as prose if it has at least eight words, begins with a capital letter, ends with ".", ":" or
    ")", and does not contain ``::=`` or ``>>>``. These rules exclude headings, code, grammar and tables, but also some
    paragraphs that begin with a name in lower case.
    """
    for block in re.split(r"\n\s*\n", text):
        paragraph = BULLET.sub("", " ".join(block.split()))
        if (
            len(paragraph.split()) >= 8
            and paragraph[0].isupper()
            and paragraph[-1] in ".:)"
            and not CODE.search(paragraph)
        ):
            yield paragraph


def load_corpus(title: str) -> Corpus:
    """Return the topics as a corpus that stands in for the one called ``title``.

    A topic is a heading, then a line for each paragraph. As in WikiText, words and punctuation are separated by blanks,
    and case is kept. Train, valid and test should have 80, 10 and 10 per cent of the sentences: each topic, the longest
    first, goes as a whole to the part that lacks most sentences.
    """
    topics = read_sentences()
    total = sum(len(paragraph) for paragraphs in topics.values() for paragraph in paragraphs)
    missing = {part: share * total for part, share in SPLIT_SHARES.items()}
    lines: dict[str, list[str]] = {part: [] for part in SPLIT_SHARES}
    for topic, paragraphs in topics.items():
        part = max(missing, key=missing.__getitem__)
        missing[part] -= sum(map(len, paragraphs))
        lines[part] += ["", f" = {topic} = ", "", *(" ".join(TOKEN.findall(" ".join(p))) for p in paragraphs)]
    parts = {part: tuple(found) for part, found in lines.items()}
    return Corpus(**parts, name="pydoc_topics", source="embedded", note=_note(title))


def load_passages(title: str) -> LabelledTexts:
    """Return passages of three successive sentences, which stand in for the set called ``title``.

    The class of a passage is the group of topics that it is from. The last quarter of each topic is for the test, so
    that no sentence is in both parts. Within a part, passages begin at successive sentences, so that neighbors overlap.
    Passages of the two classes alternate. From the larger class, evenly spaced passages are selected, as many as the
    smaller class has.
    """
    topics = read_sentences()
    found: dict[str, list[list[str]]] = {"train": [], "test": []}
    for group in GROUPS.values():
        own: dict[str, list[str]] = {"train": [], "test": []}
        for topic in group:
            flat = [sentence for paragraph in topics.get(topic, []) for sentence in paragraph]
            border = len(flat) - int(TEST_SHARE * len(flat))
            own["train"] += _windows(flat[:border])
            own["test"] += _windows(flat[border:])
        for part, texts in own.items():
            found[part].append(texts)
    train, test = (_balanced(found[part]) for part in ("train", "test"))
    return LabelledTexts(*train, *test, tuple(GROUPS), "pydoc_topics", "embedded", _note(title))


def _windows(flat: Sequence[str]) -> list[str]:
    return [" ".join(flat[k : k + PASSAGE_SENTENCES]) for k in range(len(flat) - PASSAGE_SENTENCES + 1)]


def _balanced(classes: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], Classes]:
    size = min(map(len, classes))
    selected = [[texts[k] for k in np.linspace(0, len(texts) - 1, size).astype(int)] for texts in classes]
    return tuple(text for row in zip(*selected, strict=True) for text in row), np.tile(np.arange(len(classes)), size)


def _note(title: str) -> str:
    return f"pydoc topics stand-in, not {title}"
