"""Texts for pages: formulas as MathML, which browsers draw without a network, code between backticks, and numbers."""

import re
from statistics import median
from typing import NamedTuple
from xml.etree.ElementTree import tostring

from latex2mathml.converter import Converter
from markupsafe import Markup, escape

# A formula must not contain links, nor styles that could cover the page.
UNSAFE_ATTRIBUTES = {"href", "style", "class", "id"}
ESCAPED_NUMBER = re.compile("&amp;(#x[0-9A-Fa-f]+;)")
MARKED = re.compile(r"\$([^$]*)\$|`([^`]*)`")
EXPONENT = re.compile(r"(?<![\w.])([-+]?[0-9.]+)e([-+][0-9]+)")
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
# More numbers than these are folded away.
MAX_NUMBERS = 6


class Numbers(NamedTuple):
    """Numbers of a claim for a page. total: how many. all: the text with all of them, if short has only some."""

    short: str
    all: str
    total: int


def to_html(text: str) -> Markup:
    """Return a text with its formulas as MathML and its code as such; all else is escaped."""
    parts = MARKED.split(text)
    out = [escape(parts[0])]
    for formula, code, rest in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        out += [to_mathml(formula) if code is None else Markup("<code>{}</code>").format(code), escape(rest)]
    return Markup("").join(out)


def to_mathml(formula: str) -> Markup:
    """Return a formula as MathML without links and styles; its source where it cannot be converted."""
    try:
        tree = Converter().convert_to_element(formula)
    except Exception:  # the converter passes on any error of Python
        return Markup("<code>${}$</code>").format(formula)
    for element in tree.iter():
        for name in UNSAFE_ATTRIBUTES & element.attrib.keys():
            del element.attrib[name]
    # The converter writes symbols as numeric entities; its caller must escape everything else.
    return Markup(ESCAPED_NUMBER.sub(r"&\1", tostring(tree, encoding="unicode")))  # noqa: S704


def pretty_numbers(text: str) -> str:
    """Return a text of the ledger as people write it: "1 +- 1e-08" as "1 ± 10⁻⁸"."""
    text = EXPONENT.sub(_power, text)
    return text.replace("+-", "±").replace("<=", "≤").replace(">=", "≥")


def fold_numbers(text: str) -> Numbers:
    """Return numbers of a claim, of more than MAX_NUMBERS only minimum, median and maximum in the short text.

    text: numbers, and words after a semicolon or "+-".
    """
    numbers, rest = split_numbers(text)
    if len(numbers) <= MAX_NUMBERS:
        return Numbers(pretty_numbers(text), "", len(numbers))
    low, middle, high = (f"{number:.6g}" for number in (min(numbers), median(numbers), max(numbers)))
    start = text[:3] if text.startswith(("<= ", ">= ")) else ""
    short = f"{start}{low} to {high}, median {middle}{rest}"
    return Numbers(pretty_numbers(short), pretty_numbers(text), len(numbers))


def split_numbers(text: str) -> tuple[list[float], str]:
    """Return the numbers at the beginning of a text of the ledger, after a sign such as "<=", and the rest."""
    found = re.match(r"(?:like|[<>]?=)? ?((?:[-+]?(?:[0-9.]+(?:e[-+][0-9]+)?|inf|nan)(?: |$|(?=;)))*)", text)
    start, end = found.span(1) if found else (0, 0)
    return [float(number) for number in text[start:end].split()], f" {text[end:]}" if text[end:] else ""


def _power(number: re.Match[str]) -> str:
    power = f"10{str(int(number[2])).translate(SUPERSCRIPTS)}"
    return power if number[1] == "1" else f"{number[1]} · {power}"
