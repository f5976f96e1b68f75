"""A generated set for natural-language inference, which stands in for MNLI without a network.

Every hypothesis has three premises, one for each label; all three are in the training set, or all in the test set. So a
classifier that reads only the hypothesis is right in exactly one case of three. Nor is it enough to know which words
occur in both sentences.

The sentences come from four small families of English sentences whose logical relations are known. Each family is a
function that draws a hypothesis and three premises: one entails it, one leaves it open, one contradicts it. The three
premises are as alike as possible: they share most words, and differ in their order, in words such as "no", or in what
they are about.
"""

import tomllib
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.random import Generator

from attention_dynamics.deep.datasets.labelled import Classes, LabelledTexts

T = TypeVar("T")
CLASSES = ("entailment", "neutral", "contradiction")
TRAIN, TEST = 2000, 500
SEED = 0
WORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
KINDS: dict[str, list[str]] = WORDS["kinds"]
PLACES, STATES, PEOPLE, DAYS = WORDS["places"], WORDS["states"], WORDS["people"], WORDS["days"]
ACTIONS, ORDERS, NUMBERS = WORDS["actions"], WORDS["orders"], WORDS["numbers"]
# The smallest of NUMBERS, and the upper end of ranges without one, such as that of "at least two".
SMALLEST, LARGEST = 2, 10**6


class Problem(NamedTuple):
    """A hypothesis and its premises: one that entails it, one that leaves it open, one that contradicts it."""

    hypothesis: str
    premises: tuple[str, str, str]


def quantities(rng: Generator) -> Problem:
    """Draw sentences about counts, such as "At least four dogs are in the garden". Every count is a range of integers.

    A premise entails the hypothesis if its range is within the hypothesis's range, and contradicts it if the two ranges
    are disjoint.
    """
    kind, members = _pick(rng, list(KINDS.items()))
    noun, place = _pick(rng, [kind, *members]), _pick(rng, PLACES)
    ranges = _ranges()
    while True:
        said, (low, high) = _pick(rng, ranges)
        inside = [text for text, (a, b) in ranges if low <= a and b <= high and text != said]
        beside = [text for text, (a, b) in ranges if b < low or a > high]
        across = [text for text, (a, b) in ranges if a <= high and b >= low and not (low <= a and b <= high)]
        if inside and beside and across:
            there = f"{noun} are {place}"
            entails, neutral, contradicts = (
                _sentence(f"{_pick(rng, choice)} {there}") for choice in (inside, across, beside)
            )
            return Problem(_sentence(f"{said} {there}"), (entails, neutral, contradicts))


def _ranges() -> list[tuple[str, tuple[int, int]]]:
    ranges = []
    for number, word in enumerate(NUMBERS, SMALLEST):
        ranges += [(f"exactly {word}", (number, number)), (f"at least {word}", (number, LARGEST))]
        ranges += [(f"at most {word}", (0, number)), (f"more than {word}", (number + 1, LARGEST))]
        ranges += [(f"fewer than {word}", (0, number - 1))]
    return ranges


def kinds(rng: Generator) -> Problem:
    """Draw sentences with "all", "some", "not all" and "no", about a kind of things, its members and other kinds."""
    (above, members), (other, _) = _two(rng, list(KINDS.items()))
    part, sister = _two(rng, members)
    place, state = _pick(rng, PLACES), _pick(rng, STATES)

    def say(quantifier: str, noun: str) -> str:
        return _sentence(f"{quantifier} {noun} {place} are {state}")

    beside = _pick(rng, [sister, other])
    # Hypothesis, and the premises that entail it, leave it open and contradict it. "All dogs in the garden are wet" is
    # taken to imply that there are dogs in the garden.
    choices = [
        (say("all", part), say("all", above), say("all", beside), say("no", above)),
        (say("all", part), say("all", above), say("some", above), say("not all", part)),
        (say("no", part), say("no", above), say("no", beside), say("all", above)),
        (say("no", part), say("no", above), say("not all", above), say("some", part)),
        (say("some", above), say("some", part), say("some", other), say("no", above)),
        (say("some", above), say("all", part), say("not all", part), say("no", above)),
        (say("not all", above), say("no", part), say("no", other), say("all", above)),
        (say("not all", above), say("not all", part), say("some", part), say("all", above)),
    ]
    hypothesis, entails, neutral, contradicts = _pick(rng, choices)
    return Problem(hypothesis, (entails, neutral, contradicts))


def people(rng: Generator) -> Problem:
    """Draw sentences about who did something on a day, such as "Only Ana paid on Monday".

    The premises use "and", "either ... or", "only", "neither ... nor", "everyone but" and "did not ... but", or are
    about another day.
    """
    x, y, z = (PEOPLE[k] for k in rng.permutation(len(PEOPLE))[:3].tolist())
    (day, other_day), (did, do) = _two(rng, DAYS), _pick(rng, ACTIONS)
    first, second = _two(rng, (x, y))
    yes = [f"{first} and {second} {did}", f"everyone but {y} {did}", f"only {x} {did}", f"{y} did not {do} but {x} did"]
    no = [
        f"neither {first} nor {second} {did}",
        f"everyone but {x} {did}",
        f"only {y} {did}",
        f"{x} did not {do} but {y} did",
    ]
    other = [f"{y} and {z} {did}", f"either {first} or {second} {did}", f"{y} did not {do} but {z} did"]
    unknown = [_sentence(f"{text} {day}") for text in other]
    unknown += [_sentence(f"{x} {text} {other_day}") for text in (did, f"did not {do}")]
    true, false = (_sentence(f"{_pick(rng, texts)} {day}") for texts in (yes, no))
    if rng.random() < 0.5:
        return Problem(_sentence(f"{x} {did} {day}"), (true, _pick(rng, unknown), false))
    return Problem(_sentence(f"{x} did not {do} {day}"), (false, _pick(rng, unknown), true))


def orders(rng: Generator) -> Problem:
    """Draw a hypothesis that compares two people, and premises that compare each of the two with a third person."""
    x, y, z = (PEOPLE[k] for k in rng.permutation(len(PEOPLE))[:3].tolist())
    relation, inverse = _two(rng, _pick(rng, ORDERS))

    def say(a: str, b: str) -> str:
        """Return "<a> <relation> <b>" or, with equal probability, "<b> <inverse> <a>"."""
        return f"{a} {relation} {b}" if rng.random() < 0.5 else f"{b} {inverse} {a}"

    def both(*facts: str) -> str:
        return _sentence(" and ".join(_two(rng, facts)))

    unknown = _pick(rng, [(say(x, y), say(z, y)), (say(y, x), say(y, z))])
    premises = both(say(x, y), say(y, z)), both(*unknown), both(say(z, y), say(y, x))
    return Problem(_sentence(f"{x} {relation} {z}"), premises)


FAMILIES = (quantities, kinds, people, orders)
Pairs = list[tuple[tuple[str, str], int]]


def load_inference(title: str, seed: int = SEED) -> LabelledTexts:
    """Return 6,000 pairs of premise and hypothesis to train on and 1,500 to test on, a third of each label.

    The hypotheses, all different, come in equal parts from the four families. title: title of the data set that these
    pairs stand in for. seed: seed of all random choices.
    """
    rng = np.random.default_rng(seed)
    share = (TRAIN + TEST) // len(FAMILIES)
    problems = list(chain.from_iterable(_different(family, share, rng) for family in FAMILIES))
    order = rng.permutation(len(problems))
    train = _pairs([problems[k] for k in order[:TRAIN]], rng)
    test = _pairs([problems[k] for k in order[TRAIN:]], rng)
    note = f"generated inference stand-in, not {title}"
    return LabelledTexts(*_split(train), *_split(test), CLASSES, "generated_inference", "embedded", note)


def _different(family: Callable[[Generator], Problem], count: int, rng: Generator) -> Iterator[Problem]:
    """Yield ``count`` problems of a family with different hypotheses."""
    seen: set[str] = set()
    while len(seen) < count:
        problem = family(rng)
        if problem.hypothesis not in seen:
            seen.add(problem.hypothesis)
            yield problem


def _pairs(problems: list[Problem], rng: Generator) -> Pairs:
    """Return ((premise, hypothesis), label) for all premises of the problems, in random order."""
    pairs = [((premise, p.hypothesis), label) for p in problems for label, premise in enumerate(p.premises)]
    return [pairs[k] for k in rng.permutation(len(pairs))]


def _split(pairs: Pairs) -> tuple[tuple[tuple[str, str], ...], Classes]:
    texts, labels = zip(*pairs, strict=True)
    return texts, np.array(labels, dtype=np.int64)


def _pick(rng: Generator, choices: Sequence[T]) -> T:
    return choices[int(rng.integers(len(choices)))]


def _two(rng: Generator, choices: Sequence[T]) -> tuple[T, T]:
    first, second = rng.permutation(len(choices))[:2].tolist()
    return choices[first], choices[second]


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."
