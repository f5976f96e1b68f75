"""Small sets of texts in the layouts of mirrors and of official archives, for tests of the door they come through."""

import csv
import io
import json

from helpers.data_files import pack_tar, pack_zip

REVIEWS = {
    "train": [(0, 'Bad, said "he".<br /><br />Never again'), (0, "dull\nand long"), (1, "good — truly"), (1, "fine")],
    "test": [(0, "no"), (1, "yes")],
}
PAIRS = {
    "train": [("A dog, wet.", "An animal.", "entailment"), ("It rains", "It snows", "contradiction")],
    "test": [("He reads.", "He reads a letter.", "neutral")],
}
COMMENTS = {"train": [("nice", 0.0), ("you are all fools", 0.5)], "test": [("hm", 0.4999), ("ugh", 1.0)]}
LINES = {"train": ["", " = Title = ", "", " a <unk> b , "], "valid": [" a ", ""], "test": [" b\u2028b\xa0c "]}


def table(header, rows):
    text = io.StringIO(newline="")
    csv.writer(text).writerows([header, *rows])
    return text.getvalue().encode()


def tokens(lines):
    return "".join(f"{line}\n" for line in lines).encode()


def json_lines(pairs):
    keys = ("sentence1", "sentence2", "gold_label")
    return tokens(json.dumps(dict(zip(keys, pair, strict=True)) | {"genre": "fiction"}) for pair in pairs)


# By name of the set: its subfolder and the content of its files.
WIKITEXT = {f"wiki.{part}.tokens": tokens(lines) for part, lines in LINES.items()}
MIRRORS = {
    "imdb": ("imdb", {
        f"imdb_{part}.csv": table(("label", "id", "rating", "text"), [(y, k, 5, t) for k, (y, t) in enumerate(rows)])
        for part, rows in REVIEWS.items()
    }),
    "mnli": ("mnli", {
        "mnli_train_subset.csv": table(("premise", "hypothesis", "label", "origin"), [(*p, 1) for p in PAIRS["train"]]),
        "mnli_dev_matched.csv": table(("premise", "hypothesis", "label"), PAIRS["test"]),
    }),
    "civil_comments": ("civil-comments", {
        f"civil_comments_{part}.csv": table(("comment_text", "toxicity"), rows) for part, rows in COMMENTS.items()
    }),
    "wikitext2": ("wikitext-2", WIKITEXT),
    "wikitext103": ("wikitext-103", WIKITEXT),
}  # fmt: skip


def _reviews():
    """In the order of an archive, which is not the order of the numbers."""
    counts = {}
    for part, rows in REVIEWS.items():
        for label, text in rows:
            number = counts[part, label] = counts.get((part, label), 8) + 1
            yield f"aclImdb/{part}/{('neg', 'pos')[label]}/{number}_7.txt", text.encode()


ARCHIVES = {
    "imdb": pack_tar(
        dict(reversed(list(_reviews()))) | {"aclImdb/train/unsup/0_0.txt": b"?", "aclImdb/README": b"read me"}
    ),
    "mnli": pack_zip({
        "__MACOSX/multinli_1.0/._multinli_1.0_train.jsonl": b"\0",
        "multinli_1.0/multinli_1.0_train.jsonl": json_lines([*PAIRS["train"], ("x", "y", "-")]),
        "multinli_1.0/multinli_1.0_dev_matched.jsonl": json_lines(PAIRS["test"]).rstrip(),
    }),
    "civil_comments": pack_zip({
        "train.csv": table(("id", "target", "comment_text"), [(k, y, t) for k, (t, y) in enumerate(COMMENTS["train"])]),
        "test_private_expanded.csv": table(("comment_text", "toxicity"), COMMENTS["test"]),
    }),
    "wikitext2": pack_zip({f"wikitext-2/{name}": content for name, content in WIKITEXT.items()}),
    "wikitext103": pack_zip({f"wikitext-103/{name}": content for name, content in WIKITEXT.items()}),
}  # fmt: skip
