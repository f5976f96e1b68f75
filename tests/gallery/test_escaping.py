"""Texts of claims and figures in every file that is made from them: nothing in them is run, linked or computed."""

import csv
import io
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markupsafe import escape
from matplotlib.figure import Figure

from attention_dynamics.claims.ledger import table_of, to_csv
from attention_dynamics.csv_table import FORMULA, csv_table
from attention_dynamics.gallery.mathematics import to_html
from attention_dynamics.gallery.pages import PAGES, render
from attention_dynamics.gallery.replication_report import rich
from attention_dynamics.plots.labels import escape_markdown, markdown_caption, to_latex
from attention_dynamics.plots.renderings import save
from attention_dynamics.plots.style import paper_style
from helpers.gallery_pages import CERTIFICATES, SPEC, TEMPLATES, claim, statements, write_pages

pytestmark = pytest.mark.slow

SCRIPT = "<script>alert(1)</script>"
NASTY = [
    SCRIPT, f"${SCRIPT}$", rf"$\text{{{SCRIPT}}}$", rf"$\mathrm{{{SCRIPT}}}$", r"$\verb|<img src=x onerror=alert(1)>|$",
    r"$\text{&lt;script>}$", r"$\text{&#60;script>}$", rf"`{SCRIPT}`", "`a` onclick=`b`", "$a < b$ & $\\text{A&B}$",
    r"$\href{javascript:alert(1)}{x}$", r"$\style{background:url(//x)}{y}$", r"$\class{a\" onclick=x}{y}$",
    r"$\color{red\" onmouseover=\"x}{y}$", r"$\id{main}{y}$", '" onmouseover="alert(1)', "' autofocus onfocus='x",
    "[x](javascript:alert(1))", "![x](javascript:alert(1))", "$[x](javascript:alert(1))$", "<javascript:alert(1)>",
    "a\n\n<script>\n", rf"\{SCRIPT}", rf"\\\{SCRIPT}", r"\[x](javascript:alert(1))", "]]></script>", "--><script>",
    "</title><script>", "$\\frac{$", "$" + "{" * 3000 + "$", "$$",
    "$", "=1+1", "=cmd|' /C calc'!A0", "+HYPERLINK(\"x\")", "-2+3+cmd|' /C calc'!A0", "@SUM(A1)", "\t=1", "\r=1",
    "= 1 +x!A0", "= 1 +A1", "-1 \n*$B$2",
    r"\input{/etc/passwd}", r"\write18{ls}", "50 % of #1 & ~x^2_y", "$50% #1 & 2$", "}",
    r"\$5 and $p$ of \$6", r"\$5 and \$6",
    r"$\operatorname{#read}$",
    '$\\text{" + read("data.json") + "}$', "no\u00a0break $\\text{no\u00a0break}$", "$\\#read(x)$", "${{7*7}}$ {% x %}",
]  # fmt: skip
PIECES = [*NASTY, *"<>&\"'`$\\{}[]()=+-@#%_^\n\t", "\\text{", "javascript:", "onerror=", "&lt;", "a"]
TEXTS = st.one_of(st.text(max_size=20), st.lists(st.sampled_from(PIECES), max_size=6).map("".join))
MANY = settings(max_examples=200, derandomize=True, deadline=None, database=None)


class Active(HTMLParser):
    """Collect the scripts, event handlers and links of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.scripts, self.handlers, self.links = 0, [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.scripts += tag in ("script", "img", "iframe", "object", "embed", "style", "link", "base", "meta")
        self.handlers += [name for name, _ in attrs if name.startswith("on") or name in ("style", "srcdoc")]
        self.links += [value or "" for name, value in attrs if name in ("href", "src", "xlink:href", "action")]


def assert_inert(page: str, scripts: int = 0) -> None:
    found = Active(page)
    assert (found.scripts, found.handlers) == (scripts, [])
    assert not [link for link in found.links if re.match(r"\s*(javascript|data:text|vbscript)", link, re.IGNORECASE)]


def with_examples(test):
    for text in NASTY:
        test = example(text)(test)
    return MANY(given(TEXTS)(test))


@with_examples
def test_formulas_and_code_in_html_are_inert(text):
    assert_inert(to_html(text))


@with_examples
def test_latex_outside_math_has_no_commands_and_math_no_comments(text):
    written = to_latex(text)
    outside = re.sub(r"(?<!\\)\$(?:\\.|[^$\\])+\$", "", written, flags=re.DOTALL)
    rest = re.sub(r"\\text(backslash|asciitilde|asciicircum)\{\}|\\[&%#_{}$]", "", outside)
    assert not re.search(r"[\\&%#_{}$~^]", rest)
    assert not re.search(r"(?<!\\)[%&#]", written)


@with_examples
def test_cells_of_csv_are_no_formulas(text):
    row = claim("max_margin/fig1a", "fails", claim=text, says=text, source=text, measured="-1.5 2e-08")
    (read,) = csv.DictReader(io.StringIO(to_csv([row])))
    assert not FORMULA.match(read["says"])
    assert not re.match(r"[=+-].*[-+*/] *\$?[A-Z]\$?\d", read["says"], re.DOTALL)
    assert read["says"].removeprefix("'") == text.replace("\r", " ").removeprefix("'")
    assert read["measured"] == "-1.5 2e-08"


def test_numbers_of_tables_stay_numbers():
    table = pd.DataFrame({"name": ["=A1", "-x"], "number": [-0.5, 1e-300], "text": ["-0.5 to 1", "= 1 2 +- 1e-08"]})
    assert csv_table(table) == "name,number,text\n'=A1,-0.5,-0.5 to 1\n'-x,1e-300,= 1 2 +- 1e-08\n"


@with_examples
def test_markdown_has_no_html_and_no_links(text):
    row = claim("max_margin/fig1a", "fails", claim=text, says=text, source=text, explanation=text)
    label = {"title": text, "shows": text, "note": text, "fidelity": "exact", "scale": "smoke"}
    table = table_of([row])
    assert len("\n".join(table).splitlines()) <= 5
    for page in ("\n".join(table), escape_markdown(text), markdown_caption(label)):
        # After an even number of backslashes.
        assert not re.search(r"(?<!\\)(?:\\\\)*(?:<[/!?A-Za-z]|\]\()", page)


@with_examples
def test_formulas_for_typst_are_strings_and_symbols(text):
    try:
        parts = rich(text)
    except ValueError:  # what only LaTeX knows
        return
    for kind, source, _ in parts:
        if kind == "math":
            outside = re.sub(r'"(?:[^"\\]|\\["\\])*"', "", source)
            assert not re.search(r'(?<!\\)[#"$`\[\]]|//|\\u', outside)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    return write_pages(tmp_path_factory.mktemp("gallery"))


def test_pages_run_nothing_of_their_texts(written):
    def pages(texts):
        rows = [
            claim("max_margin/fig1a", "fails", claim=text, says=text, source=text, explanation=text, expected=text,
                  measured=text, interval=text)
            for text in texts
        ]  # fmt: skip
        stated = [
            one | dict.fromkeys(("where", "says", "quote", "measured", "explanation", "other_readings", "reason"), text)
            for one, text in zip(statements(), texts, strict=False)
        ]
        return render(TEMPLATES, SPEC, rows, stated, CERTIFICATES, written)

    plain, nasty = pages(["a"] * len(NASTY)), pages(NASTY)
    for name in (*PAGES, "max_margin/fig1a"):
        assert_inert_as(nasty[name], plain[name])


def assert_inert_as(page: str, plain: str) -> None:
    """Assert that a page has the scripts, handlers and links of another one."""
    found, expected = Active(page), Active(plain)
    assert (found.scripts, found.handlers) == (expected.scripts, expected.handlers)
    own = [link for link in found.links if link not in expected.links]
    assert all(link.startswith(("#claim-", "#max_margin-fig1a-")) for link in own)


def test_pictures_escape_their_texts(tmp_path):
    title = f'-->{SCRIPT}" & ]]>'
    label = {"paper": "p", "figure": "f", "title": title, "fidelity": "exact", "note": "", "scale": "smoke"}
    with paper_style():
        figure = Figure()
        figure.text(0.5, 0.5, label["title"])
        save(figure, [str(tmp_path / "f.svg")], label)
    text = (tmp_path / "f.svg").read_text()
    assert SCRIPT not in re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    assert str(escape(SCRIPT)) in text
    assert not [node for node in ElementTree.fromstring(text).iter() if node.tag.endswith("script")]
