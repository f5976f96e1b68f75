"""Conversion of texts for pages: formulas to MathML, which browsers draw offline, code in backticks, and numbers."""

import re
from itertools import product
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
DECIMAL = re.compile(r"(?<![\w.])-?\d+\.\d+(?:e[-+]\d+)?(?![\w.])")
# Lists of more than MAX_NUMBERS numbers are shown as their range and median. Pages show DIGITS significant digits; the
# ledger, claims.csv, has MAX_DIGITS.
MAX_NUMBERS, DIGITS, MAX_DIGITS = 6, 3, 6


class Numbers(NamedTuple):
    """Numbers of a claim for a page.

    short: text with few digits; more than MAX_NUMBERS numbers are replaced by their range and median. all: text with
    all numbers in full if ``short`` has only their range and median, else "". total: how many numbers there are.
    """

    short: str
    all: str
    total: int


def to_html(text: str) -> Markup:
    """Return a text as HTML: formulas as MathML, and code in code elements. All else is escaped."""
    parts = MARKED.split(text)
    out = [escape(parts[0])]
    for formula, code, rest in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        out += [to_mathml(formula) if code is None else Markup("<code>{}</code>").format(code), escape(rest)]
    return Markup("").join(out)


def to_mathml(formula: str) -> Markup:
    """Return a formula as MathML without links and styles, or its source if it cannot be converted."""
    try:
        tree = Converter().convert_to_element(formula)
    except Exception:  # the converter does not catch errors of Python
        return Markup("<code>${}$</code>").format(formula)
    for element in tree.iter():
        for name in UNSAFE_ATTRIBUTES & element.attrib.keys():
            del element.attrib[name]
    # The converter writes symbols as numeric entities, such as &#x003B1;, and ``tostring`` escapes their "&". Undo
    # this for these entities alone.
    return Markup(ESCAPED_NUMBER.sub(r"&\1", tostring(tree, encoding="unicode")))  # noqa: S704


def pretty_numbers(text: str) -> str:
    """Return a text of the ledger (claims.csv) as people write it: "1 +- 1e-08" as "1 ± 10⁻⁸"."""
    text = EXPONENT.sub(_power, text)
    return text.replace("+-", "±").replace("<=", "≤").replace(">=", "≥")


def shorten_measured(text: str) -> str:
    """Return a record's text about a statement in few digits, such as "fails: 0.0547, expected ≤ 0.008 (...)".

    Expected numbers keep their digits. Measured numbers keep enough digits, at most MAX_DIGITS, to stay on their side
    of the expected numbers. A record has the results of a figure on real data.
    """
    verdict, _, rest = text.partition(": ")
    measured, comma, expected = rest.partition(", expected ")
    return f"{verdict}: {fold_numbers(measured, expected).short}{comma}{pretty_numbers(expected)}" if comma else text


def fold_numbers(text: str, beside: str = "") -> Numbers:
    """Return the numbers of a claim in few digits. More than MAX_NUMBERS numbers become their range and median.

    text: numbers, and words after a semicolon or "+-". beside: text with the limits, the numbers with which those in
    ``text`` are compared. Numbers have DIGITS digits, or more, up to MAX_DIGITS, if rounding would move one to the
    other side of a limit.
    """
    (numbers, rest), limits = split_numbers(text), _limits(beside)
    pairs = [*(zip(numbers, limits, strict=True) if len(numbers) == len(limits) else product(numbers, limits))]
    sides = [(number < low, number > high) for number, (low, high) in pairs]
    for digits in range(DIGITS, MAX_DIGITS + 1):
        rounded = [(float(f"{number:.{digits}g}"), limit) for number, limit in pairs]
        if [(number < low, number > high) for number, (low, high) in rounded] == sides:
            break
    short, many = text, len(numbers) > MAX_NUMBERS
    if many:
        low, middle, high = (f"{number:.6g}" for number in (min(numbers), median(numbers), max(numbers)))
        short = f"{text[:3] if text.startswith(('<= ', '>= ')) else ''}{low} to {high}, median {middle}{rest}"
    short = DECIMAL.sub(lambda number: f"{float(number[0]):.{digits}g}", short)
    return Numbers(pretty_numbers(short), pretty_numbers(text) if many else "", len(numbers))


def _limits(expected: str) -> list[tuple[float, float]]:
    """Return the interval (low, high) around each number in a text such as "1 2 +- 5 %"; without "+-", low = high."""
    numbers, rest = split_numbers(expected)
    within = re.match(r" \+- ([-+.\de]+)( %)?", rest)
    width = float(within[1]) if within else 0.0
    widths = [abs(number) * width / 100 if within and within[2] else width for number in numbers]
    return [(number - width, number + width) for number, width in zip(numbers, widths, strict=True)]


def split_numbers(text: str) -> tuple[list[float], str]:
    """Return the numbers at the beginning of a text of the ledger, after a sign such as "<=", and the rest of it."""
    found = re.match(r"(?:like|[<>]?=)? ?((?:[-+]?(?:[0-9.]+(?:e[-+][0-9]+)?|inf|nan)(?: |$|(?=;)))*)", text)
    start, end = found.span(1) if found else (0, 0)
    return [float(number) for number in text[start:end].split()], f" {text[end:]}" if text[end:] else ""


def _power(number: re.Match[str]) -> str:
    power = f"10{str(int(number[2])).translate(SUPERSCRIPTS)}"
    return power if number[1] == "1" else f"{number[1]} · {power}"
