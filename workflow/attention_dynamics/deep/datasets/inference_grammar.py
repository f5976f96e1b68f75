"""Small families of English sentences whose logical relations are known.

Each family draws a hypothesis and a premise that entails it, one that leaves it open, and one that contradicts it. The
premises of the three labels are as alike as they can be: the same words, in another order or about something else.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from numpy.random import Generator

T = TypeVar("T")

# Kinds: the singular and the plural of the kind and of some of its members.
KINDS = {
    ("animal", "animals"): (("dog", "dogs"), ("horse", "horses"), ("goose", "geese"), ("rabbit", "rabbits")),
    ("musician", "musicians"): (("singer", "singers"), ("drummer", "drummers"), ("cellist", "cellists")),
    ("vehicle", "vehicles"): (("bus", "buses"), ("truck", "trucks"), ("tractor", "tractors"), ("van", "vans")),
    ("tool", "tools"): (("hammer", "hammers"), ("saw", "saws"), ("ladder", "ladders"), ("drill", "drills")),
    ("fruit", "fruits"): (("apple", "apples"), ("pear", "pears"), ("cherry", "cherries"), ("plum", "plums")),
    ("official", "officials"): (("judge", "judges"), ("mayor", "mayors"), ("inspector", "inspectors")),
}
PLACES = (
    "in the garden", "near the river", "at the market", "behind the school", "in the old barn", "on the bridge",
    "by the station", "under the tower", "outside the museum", "at the harbor",
)  # fmt: skip
STATES = ("wet", "new", "small", "missing", "clean", "ready", "insured", "local", "expensive", "safe")
PEOPLE = (
    "Ana", "Boris", "Chen", "Dora", "Emil", "Farid", "Gita", "Hugo", "Ines", "Jonas", "Kira", "Leo", "Mara", "Nils",
)  # fmt: skip
ACTIONS = (
    ("paid", "pay"), ("slept", "sleep"), ("voted", "vote"), ("called", "call"), ("won", "win"), ("signed", "sign"),
    ("left early", "leave early"), ("sang", "sing"), ("apologized", "apologize"), ("came back", "come back"),
    ("told the truth", "tell the truth"), ("lost a key", "lose a key"),
)  # fmt: skip
DAYS = ("on Monday", "on Tuesday", "on Wednesday", "on Thursday", "on Friday")
# Relations of two people, each with its inverse.
ORDERS = (
    ("is taller than", "is shorter than"), ("is older than", "is younger than"), ("lives north of", "lives south of"),
    ("arrived before", "arrived after"), ("earns more than", "earns less than"), ("ran faster than", "ran slower than"),
)  # fmt: skip
NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
SMALLEST, LARGEST = 2, 10**6


class Problem(NamedTuple):
    """A hypothesis and its premises: one that entails it, one that leaves it open, one that contradicts it."""

    hypothesis: str
    premises: tuple[str, str, str]


def quantities(rng: Generator) -> Problem:
    """Draw sentences about counts: "at least four" is a range, and ranges can contain or exclude each other."""
    kind, members = _pick(rng, list(KINDS.items()))
    noun, place = _pick(rng, [kind, *members])[1], _pick(rng, PLACES)
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
    """Draw sentences with all, some, not all and no, about a kind, its members and other kinds."""
    (whole, members), (other, _) = _two(rng, list(KINDS.items()))
    (_, part), (_, sister) = _two(rng, members)
    place, state = _pick(rng, PLACES), _pick(rng, STATES)

    def say(quantifier: str, noun: str) -> str:
        return _sentence(f"{quantifier} {noun} {place} are {state}")

    above, beside = whole[1], _pick(rng, [sister, other[1]])
    # As in "All dogs in the garden are wet", it is understood that there are some of each.
    choices = [
        (say("all", part), say("all", above), say("all", beside), say("no", above)),
        (say("all", part), say("all", above), say("some", above), say("not all", part)),
        (say("no", part), say("no", above), say("no", beside), say("all", above)),
        (say("no", part), say("no", above), say("not all", above), say("some", part)),
        (say("some", above), say("some", part), say("some", other[1]), say("no", above)),
        (say("some", above), say("all", part), say("not all", part), say("no", above)),
        (say("not all", above), say("no", part), say("no", other[1]), say("all", above)),
        (say("not all", above), say("not all", part), say("some", part), say("all", above)),
    ]
    hypothesis, entails, neutral, contradicts = _pick(rng, choices)
    return Problem(hypothesis, (entails, neutral, contradicts))


def people(rng: Generator) -> Problem:
    """Draw sentences about who did something, with and, or, only, neither, everyone but, and on another day."""
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
    """Draw two comparisons and a third that follows from them, is left open, or contradicts them."""
    x, y, z = (PEOPLE[k] for k in rng.permutation(len(PEOPLE))[:3].tolist())
    relation, inverse = _two(rng, _pick(rng, ORDERS))

    def say(a: str, b: str) -> str:
        """Return a sentence that a has the relation to b, or that b has its inverse to a."""
        return f"{a} {relation} {b}" if rng.random() < 0.5 else f"{b} {inverse} {a}"

    def both(*facts: str) -> str:
        return _sentence(" and ".join(_two(rng, facts)))

    unknown = _pick(rng, [(say(x, y), say(z, y)), (say(y, x), say(y, z))])
    premises = both(say(x, y), say(y, z)), both(*unknown), both(say(z, y), say(y, x))
    return Problem(_sentence(f"{x} {relation} {z}"), premises)


FAMILIES = (quantities, kinds, people, orders)


def _pick(rng: Generator, choices: Sequence[T]) -> T:
    return choices[int(rng.integers(len(choices)))]


def _two(rng: Generator, choices: Sequence[T]) -> tuple[T, T]:
    first, second = rng.permutation(len(choices))[:2].tolist()
    return choices[first], choices[second]


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."
