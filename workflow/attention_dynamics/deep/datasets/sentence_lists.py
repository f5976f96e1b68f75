"""Our own short sentences, each with a word that determines its class (for Mirror descent, attention on IMDb).

The word stands between asterisks. The lists are keyed by the data set that a classifier is trained on, and by class.
"""

import re
from typing import NamedTuple

MARKED_WORD = re.compile(r"\*(.+?)\*")

SENTENCES = {
    "imdb": {
        "negative": (
            "A *boring* film",
            "The ending was *awful*",
            "What a *terrible* script",
            "This is the *worst* sequel",
            "The jokes are *lame*",
            "I found the plot *dull*",
            "A complete *waste* of time",
            "Her acting was *poor*",
            "The dialogue sounds *stupid*",
            "A very *disappointing* remake",
            "His jokes were *annoying*",
            "The story is *predictable*",
            "Such a *horrible* soundtrack",
            "The effects look *cheap*",
            "It gets *ridiculous* at the end",
            "A *pointless* second half",
            "The camera work is *bad*",
            "Nothing but a *mess*",
            "The villain was *laughable*",
            "A *forgettable* little thriller",
            "The cast *failed* badly",
            "The pace is *painfully* slow",
        ),
        "positive": (
            "A *wonderful* film",
            "The cast is *excellent*",
            "What a *great* story",
            "She is *brilliant* in this",
            "I *loved* every scene",
            "The music is *beautiful*",
            "An *amazing* debut",
            "My *favorite* western",
            "The photography is *superb*",
            "A *perfect* evening at home",
            "His timing is *fantastic*",
            "A *touching* family drama",
            "The script is *clever*",
            "Children will *enjoy* it",
            "A truly *powerful* last act",
            "The leads are *terrific*",
            "It is *hilarious* from the start",
            "A *masterpiece* of suspense",
            "The villain was *outstanding*",
            "A *charming* little comedy",
            "An *unforgettable* voyage",
            "The best kind of *fun*",
        ),
    },
    "pydoc_topics": {
        "data model": (
            "Every *class* has a name",
            "An *instance* is created here",
            "The *attribute* was not found",
            "Write *methods* for that",
            "A *metaclass* can do it",
            "Set *slots* to save memory",
            "The *descriptor* is called first",
            "Its *hash* must never change",
            "Give the *bases* in order",
            "One may *override* this",
            "A *subclass* adds more",
            "The *owner* is passed along",
            "An *object* has an identity",
            "Search the *namespace* first",
            "The *scope* ends there",
            "Which *function* comes next",
            "A *representation* for people",
            "Its *truth* value is computed",
            "Then *delete* the reference",
            "The *comparison* is rich",
            "It returns *notimplemented* here",
            "Numbers are *objects* too",
        ),
        "statements and built-in types": (
            "The *pattern* is tried first",
            "A *clause* may follow",
            "Each *character* counts once",
            "The *suite* runs to its end",
            "Nothing *matches* any longer",
            "A *substring* was found",
            "The *separator* is left out",
            "Use *else* for the rest",
            "The *literal* is written twice",
            "A *unicode* letter",
            "The *decimal* point moves",
            "Every *key* is there once",
            "The *target* gets a value",
            "This *string* is short",
            "The *list* grows by one",
            "Any *iterable* will do",
            "The *exceptions* come last",
            "The *width* of the column",
            "Then *continue* with the loop",
            "The *guard* was false",
            "One *digit* is enough",
            "Now *import* all of them",
        ),
    },
}


class Sentence(NamedTuple):
    """A sentence with a designated word.

    text: without asterisks. designated: the word. before: the text before it.
    """

    text: str
    designated: str
    before: str


def parse_sentence(marked: str) -> Sentence:
    """Return a sentence of the lists. Raises ValueError unless one word of it stands between asterisks."""
    found = MARKED_WORD.findall(marked)
    if len(found) != 1 or marked.count("*") != 2:
        raise ValueError(f"sentence: one word needs to stand between asterisks, got {marked!r}")
    return Sentence(marked.replace("*", ""), found[0], marked.partition("*")[0])
