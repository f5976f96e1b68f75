"""The embedded texts: Python's documentation, and inference whose labels are checked by going through all cases."""

import lzma
import re
from itertools import chain, permutations, product

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from attention_dynamics.deep.datasets import inference, stand_ins
from attention_dynamics.deep.datasets.files import InvalidDataFile
from attention_dynamics.deep.datasets.texts import load_texts as load

ENTAILS, OPEN, CONTRADICTS = range(3)


@pytest.fixture(scope="module")
def pairs():
    return load("mnli", "embedded")


STAND_INS = {
    "wikitext2": ("pydoc_topics", "pydoc topics stand-in, not WikiText-2"),
    "wikitext103": ("pydoc_topics", "pydoc topics stand-in, not WikiText-103"),
    "imdb": ("pydoc_topics", "pydoc topics stand-in, not IMDb"),
    "civil_comments": ("pydoc_topics", "pydoc topics stand-in, not Civil Comments"),
    "mnli": ("generated_inference", "generated inference stand-in, not MNLI"),
}


@pytest.mark.parametrize("name", STAND_INS)
def test_stand_in_says_what_it_is_and_is_always_the_same(name):
    data = load(name, "embedded")
    assert (data.source, data.name, data.note) == ("embedded", *STAND_INS[name])
    assert data.digest == load(name, "embedded").digest


def test_documentation_is_corpus():
    corpus = load("wikitext2", "embedded")
    parts = (corpus.train, corpus.valid, corpus.test)
    counts = np.array([sum(len(line.split()) for line in part) for part in parts])
    assert counts.sum() > 20_000
    np.testing.assert_allclose(counts / counts.sum(), [0.8, 0.1, 0.1], atol=0.05)
    headings = [{line for line in part if line.startswith(" = ")} for part in parts]
    assert all(headings)
    assert len(set.union(*headings)) == sum(map(len, headings))
    long = [{line for line in part if len(line.split()) > 8} for part in parts]
    assert len(set.union(*long)) == sum(map(len, long))
    assert corpus.digest == load("wikitext103", "embedded").digest


def test_texts_are_the_same_with_every_version_of_python():
    assert {name: load(name, "embedded").digest[:16] for name in ("mnli", "imdb", "wikitext2")} == {
        "mnli": "fde7d0b4ffd9b18d",
        "imdb": "d752e953bc250f41",
        "wikitext2": "a5359547ded9d0a0",
    }


def test_another_documentation_is_refused(monkeypatch, tmp_path):
    other = tmp_path / "python_documentation.json.xz"
    other.write_bytes(lzma.compress(b"{}"))
    monkeypatch.setattr(stand_ins, "DOCUMENTATION", other)
    with pytest.raises(InvalidDataFile, match=r"python_documentation\.json\.xz: has SHA-256 .*, expected 00cd729d"):
        load("imdb", "embedded")


def test_documentation_has_two_classes():
    texts = load("imdb", "embedded")
    assert texts.classes == tuple(stand_ins.GROUPS)
    for labels, least in ((texts.train_labels, 600), (texts.test_labels, 150)):
        assert len(labels) >= least
        assert np.ptp(np.bincount(labels)) == 0
    sentences = {s for paragraphs in stand_ins.read_sentences().values() for p in paragraphs for s in p}
    # A passage is in the test as a whole: none of its sentences is in a training passage.
    training = "\n".join(texts.train_texts)
    held_out = {s for s in sentences for text in texts.test_texts if s in text and len(s) > 60}
    assert len(held_out) > 100
    assert not [s for s in held_out if s in training]
    assert 40 < np.mean([len(text.split()) for text in texts.train_texts]) < 65
    assert texts.digest == load("civil_comments", "embedded").digest


def test_sentences_are_unique_and_without_code():
    kept = [s for paragraphs in stand_ins.read_sentences().values() for p in paragraphs for s in p]
    assert len(kept) == len(set(kept))
    text = """Heading\n*******\n\nThis is a paragraph of prose,\nit has two lines.\n\n   def f(x):\n      return x\n
* A bullet "is" also a paragraph of its own:\n\n   rule ::= "A rule of the grammar is not prose at all."\n\nToo short.\n
The end of this one is missing, so it is no prose"""
    assert list(stand_ins.select_prose(text)) == [
        "This is a paragraph of prose, it has two lines.",
        'A bullet "is" also a paragraph of its own:',
    ]


def test_generated_pairs_are_balanced_and_split_by_hypothesis(pairs):
    assert pairs.classes == ("entailment", "neutral", "contradiction")
    assert np.bincount(pairs.train_labels).tolist() == [2000] * 3
    assert np.bincount(pairs.test_labels).tolist() == [500] * 3
    assert len(set(pairs.train_texts)) == 6000
    assert not {h for _, h in pairs.train_texts} & {h for _, h in pairs.test_texts}
    assert all(re.fullmatch(r"[A-Z][A-Za-z ]+\.", sentence) for sentence in chain.from_iterable(pairs.test_texts))


def test_generated_pairs_depend_only_on_seed(pairs):
    assert inference.load_inference("x").digest == pairs.digest
    assert inference.load_inference("x", seed=1).digest != pairs.digest


@pytest.mark.parametrize(
    ("view", "highest"),
    [(lambda premise, hypothesis: hypothesis, 1 / 3), (lambda premise, hypothesis: premise, 0.55),
     (lambda premise, hypothesis: f"{premise} {hypothesis}", 0.55)],
    ids=["hypothesis", "premise", "both"],
)  # fmt: skip
def test_word_counts_do_not_predict_inference_labels(pairs, view, highest):
    model = make_pipeline(CountVectorizer(token_pattern=r"\w+"), LogisticRegression(max_iter=500))
    model.fit([view(*pair) for pair in pairs.train_texts], pairs.train_labels)
    accuracy = model.score([view(*pair) for pair in pairs.test_texts], pairs.test_labels)
    assert 1 / 3 - 0.05 <= accuracy <= highest + 1e-12


# What a sentence says, as a function of a case, and all cases: an independent reading of each family.


def relation(premise, hypothesis, cases):
    """Return how a hypothesis relates to a premise, both functions of a case, over all cases."""
    found = {hypothesis(case) for case in cases if premise(case)}
    assert found, "the premise cannot hold"
    return OPEN if len(found) == 2 else ENTAILS if found == {True} else CONTRADICTS


def all_cases(names, values):
    """Return every assignment of values to names."""
    names = list(names)
    return [dict(zip(names, case, strict=True)) for case in product(values, repeat=len(names))]


def read_quantity(sentence):
    kind, word, rest = re.fullmatch(r"(exactly|at least|at most|more than|fewer than) (\w+) (.*)", sentence).groups()
    n = ["zero", "one", *inference.NUMBERS].index(word)
    holds = {"exactly": n.__eq__, "at least": n.__le__, "at most": n.__ge__}
    holds |= {"more than": n.__lt__, "fewer than": n.__gt__}
    return holds[kind], rest


def quantity_cases(*sentences):
    assert len({read_quantity(s)[1] for s in sentences}) == 1
    return range(20)


def read_kind(sentence):
    quantifier, noun, rest = re.fullmatch(r"(not all|all|some|no) (\w+) (.*)", sentence).groups()

    def holds(case):
        wet = set(chain.from_iterable(case[member] for member in inference.KINDS.get(noun, [noun])))
        return {"all": wet == {True}, "some": True in wet, "no": wet == {False}, "not all": False in wet}[quantifier]

    return holds, rest


def kind_cases(*sentences):
    """Each member of the kinds that are named has some that are and some that are not, or only one of both."""
    assert len({read_kind(s)[1] for s in sentences}) == 1
    named = {re.match(r"(?:not all|all|some|no) (\w+)", s)[1] for s in sentences}
    kinds = [members for kind, members in inference.KINDS.items() if named & {kind, *members}]
    return all_cases(chain.from_iterable(kinds), ((True,), (False,), (True, False)))


NAME = "(" + "|".join(inference.PEOPLE) + ")"
DID = "|".join(chain.from_iterable(inference.ACTIONS))


def read_people(sentence):
    text, day = re.fullmatch(r"(.*) (on \w+)", sentence).groups()
    readings = {
        rf"{NAME} and {NAME} (?:{DID})": lambda did, a, b: did[a] and did[b],
        rf"(?:E|e)veryone but {NAME} (?:{DID})": lambda did, a: all(did[p] != (p == a) for p in did),
        rf"only {NAME} (?:{DID})": lambda did, a: all(did[p] == (p == a) for p in did),
        rf"{NAME} did not (?:{DID}) but {NAME} did": lambda did, a, b: did[b] and not did[a],
        rf"neither {NAME} nor {NAME} (?:{DID})": lambda did, a, b: not did[a] and not did[b],
        rf"either {NAME} or {NAME} (?:{DID})": lambda did, a, b: did[a] != did[b],
        rf"{NAME} did not (?:{DID})": lambda did, a: not did[a],
        rf"{NAME} (?:{DID})": lambda did, a: did[a],
    }
    ((match, holds),) = [(m, holds) for pattern, holds in readings.items() if (m := re.fullmatch(pattern, text))]
    return lambda case: holds(case[day], *match.groups()), None


def people_cases(*sentences):
    people = [*sorted(set(re.findall(NAME, " ".join(sentences)))), "somebody else"]
    days = sorted(set(re.findall(r"on \w+day", " ".join(sentences))))
    return all_cases(days, all_cases(people, (True, False)))


def read_order(sentence):
    facts = []
    for fact in sentence.split(" and "):
        a, words, b = re.fullmatch(rf"{NAME} (.*) {NAME}", fact).groups()
        facts.append((a, b) if words in {first for first, _ in inference.ORDERS} else (b, a))
    return lambda case: all(case.index(a) < case.index(b) for a, b in facts), None


def order_cases(*sentences):
    return list(permutations(sorted(set(re.findall(NAME, " ".join(sentences))))))


FAMILIES = [
    (inference.quantities, read_quantity, quantity_cases),
    (inference.kinds, read_kind, kind_cases),
    (inference.people, read_people, people_cases),
    (inference.orders, read_order, order_cases),
]


@pytest.mark.parametrize(("family", "read", "cases"), FAMILIES, ids=lambda part: part.__name__)
def test_inference_labels_hold_in_all_cases(family, read, cases):
    rng = np.random.default_rng(1)
    for _ in range(60):
        problem = family(rng)
        hypothesis = lower_first_letter(problem.hypothesis)
        for label, premise in enumerate(map(lower_first_letter, problem.premises)):
            found = relation(read(premise)[0], read(hypothesis)[0], cases(premise, hypothesis))
            assert found == label, (premise, hypothesis)


def lower_first_letter(sentence):
    """Without the full stop and the capital that is none of a name."""
    text = sentence.removesuffix(".")
    return text if text.startswith(tuple(inference.PEOPLE)) else text[0].lower() + text[1:]
