"""Words of texts as the papers' experiments split them; pieces of words are in ``wordpiece.py``."""

import re

# Pattern and replacement, one after the other; the order matters.
BASIC_ENGLISH = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"'", " ' "),
        (r'"', ""),
        (r"<br />", " "),
        (r"([.,()!?])", r" \1 "),
        (r"[;:]", " "),
    )
)
MARKUP = re.compile(r"<br\s*/?>")
WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


def basic_english(text: str) -> list[str]:
    """Return words as torchtext's tokenizer ``basic_english`` makes them, which the authors of Scan and snap use.

    Lower case; quotation marks, colons and semicolons are dropped, other common punctuation is a word of its own.
    """
    text = text.lower()
    for pattern, replacement in BASIC_ENGLISH:
        text = pattern.sub(replacement, text)
    return text.split()


def lower_words(text: str) -> list[str]:
    """Return lower-case words of letters and digits, with apostrophes inside; no punctuation, no ``<br />``.

    For the experiments on IMDb at a smaller scale, for which the paper says only "regex tokens"; at the full
    scale it uses WordPiece (``wordpiece.py``).
    """
    return WORD.findall(MARKUP.sub(" ", text.lower()))
