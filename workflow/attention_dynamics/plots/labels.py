"""Texts that go with a figure or a table: its provenance, its tag and its caption."""

import re
from collections.abc import Mapping

from attention_dynamics.markdown_table import plain_text

# Replacements for characters that are commands in LaTeX, or that LaTeX's default fonts have in math only.
LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "$": r"\$", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "±": r"$\pm$", "×": r"$\times$", "≤": r"$\leq$",
    "≥": r"$\geq$", "−": "$-$", "·": r"$\cdot$", "°": r"$^\circ$",
}  # fmt: skip
# The characters %, & and # are LaTeX commands in math, too, so that they need a backslash there.
LATEX_MARKS = re.compile(r"(?<!\\)([%&#])")
# A formula between dollar signs. After a backslash, a dollar sign is only a character.
MATH = re.compile(r"((?<!\\)\$(?:\\.|[^$\\])+\$)")
# Characters with a meaning in Markdown, and backslashes before them, which would escape the backslash that we add.
MARKDOWN, ESCAPED = re.compile(r"([*<\[\]]|\\(?=\\*[*<\[\]]))"), r"\\\1"
BRACES = str.maketrans("", "", "{}")
LATEX_HEAD = r"""% Captions of the figures of attention-dynamics. In the preamble: \input{captions}. Then, in a figure:
% \caption{\figurecaption{max_margin/fig1a}}
\makeatletter
\newcommand{\figurecaption}[1]{\@nameuse{attention-dynamics/#1}}
"""


def provenance(label: Mapping[str, str]) -> str:
    """Return the fidelity, the note and the scale in one line. label: with the keys fidelity, note and scale."""
    return " · ".join(filter(None, [label["fidelity"], label["note"], f"{label['scale']} scale"]))


def tag(label: Mapping[str, str]) -> str:
    """Return "<fidelity>: <data>", or the fidelity alone if the text ``data`` is missing or empty.

    label: with the keys fidelity and, where other data stand in for those of the paper, data.
    """
    return ": ".join(filter(None, [label["fidelity"], label.get("data", "").removeprefix("data: ")]))


def caption(label: Mapping[str, str]) -> tuple[str, str]:
    """Return the caption in two parts: the fidelity, which comes first, and the rest. Math is between dollar signs.

    label: with the keys title, shows, fidelity, note and scale.
    """
    sentences = [label["title"], label["shows"], label["note"]]
    rest = " ".join(_sentence(text) for text in sentences if text)
    return _capital(label["fidelity"]), f"({label['scale']} scale). {rest}"


def markdown_caption(label: Mapping[str, str]) -> str:
    """Return the caption as a paragraph of Markdown. label: see ``caption``."""
    fidelity, rest = caption(label)
    return f"**{escape_markdown(fidelity)}** {escape_markdown(rest)}\n"


def escape_markdown(text: str) -> str:
    """Return a text for a Markdown page. Characters with a meaning in Markdown are escaped, except in formulas.

    Formulas are between dollar signs. They change only by a blank where Markdown would find HTML or a link.
    """
    parts = MATH.split(text.replace("\n", " "))
    return "".join(plain_text(part) if k % 2 else MARKDOWN.sub(ESCAPED, part) for k, part in enumerate(parts))


def latex_captions(figures: Mapping[str, Mapping[str, str]]) -> str:
    r"""Return the text of a LaTeX file in which ``\figurecaption{<paper>/<figure>}`` gives the caption of a figure.

    figures: "<paper>/<figure>" -> label, see ``caption``.
    """
    lines = []
    for name, label in figures.items():
        fidelity, rest = caption(label)
        lines.append(rf"\@namedef{{attention-dynamics/{name}}}{{\textbf{{{to_latex(fidelity)}}} {to_latex(rest)}}}")
    return LATEX_HEAD + "\n".join([*lines, r"\makeatother"]) + "\n"


def to_latex(text: str) -> str:
    """Return a text with LaTeX's special characters escaped; between dollar signs, in math, only %, & and #."""
    parts = MATH.split(text)
    return "".join(
        LATEX_MARKS.sub(r"\\\1", part) if k % 2 else "".join(LATEX.get(one, one) for one in part.replace(r"\$", "$"))
        for k, part in enumerate(parts)
    )


def to_plain(text: str) -> str:
    """Return a text whose formulas are in plain characters, such as 1 - cos(W, W_mm), for metadata and CSV."""
    return MATH.sub(lambda formula: _plain(formula[1][1:-1]), text)


def _plain(formula: str) -> str:
    formula = re.sub(r"\\(mathrm|mathbf|mathcal|left|right)(?![a-z])|\\[,;!:]", "", formula.replace("\\ ", " "))
    # An exponent or index with several terms gets parentheses instead of braces; otherwise the braces are removed.
    formula = re.sub(r"([_^])\{([^{}]*[ /+][^{}]*)\}", r"\1(\2)", formula)
    # Commands become words, separated by a space from adjacent words.
    formula = re.sub(r"(?<=[A-Za-z0-9}])\\(?=[A-Za-z])", " ", formula)
    formula = re.sub(r"\\([A-Za-z]+)(?=[\\{])", r"\1 ", formula)
    return " ".join(formula.replace("\\", "").translate(BRACES).split())


def _sentence(text: str) -> str:
    text = _capital(text)
    return text if text.endswith((".", "?")) else f"{text}."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
