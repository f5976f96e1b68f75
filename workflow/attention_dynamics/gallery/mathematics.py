"""Texts with formulas between dollar signs, for pages: MathML, which browsers draw without a network."""

import re

from latex2mathml.converter import convert
from markupsafe import Markup, escape

FORMULA = re.compile(r"\$([^$]*)\$")


def to_html(text: str) -> Markup:
    """Return a text with its formulas as MathML; all else is escaped."""
    parts = FORMULA.split(text)
    return Markup("").join(Markup(convert(part)) if k % 2 else escape(part) for k, part in enumerate(parts))  # noqa: S704
