"""The gallery's pages as texts: what they say, what they link to, what they escape."""

import re
import shutil
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise
from urllib.parse import unquote, urlsplit

import pytest
import yaml
from PIL import Image, UnidentifiedImageError

from attention_dynamics.claims.claim_summary import ClaimSummary
from attention_dynamics.gallery.pages import PAGES, compare_published, render
from helpers.gallery_pages import CERTIFICATES, CONFIG, SPEC, TEMPLATES, claim, claims, write_pages

FIGURE = "max_margin/fig1a"


class Page(HTMLParser):
    """Tags with their attributes, and ids."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict]] = []
        self.feed(text)
        self.ids = [attributes["id"] for _, attributes in self.tags if "id" in attributes]

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def links(self) -> list[str]:
        return [given[key] for _, given in self.tags for key in ("href", "src") if key in given]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_pages(tmp_path_factory.mktemp("gallery"))


@pytest.fixture(scope="module")
def pages(folder):
    names = [*PAGES, *CONFIG.figures()]
    return {page: Page((folder / f"{page}.html").read_text()) for page in names}


def rows(verdicts: dict[str, int]) -> list[dict]:
    """Claims by verdict; those that fail say 'a', 'b', ..."""
    return [claim(FIGURE, v, says=chr(ord("a") + k)) for v, count in verdicts.items() for k in range(count)]


SUMMARIES = [
    ({}, "nothing judged", "not tested"),
    ({"not tested": 3}, "nothing judged", "not tested"),
    ({"holds": 1}, "the only claim holds", "holds"),
    ({"reported": 3}, "nothing judged", "not tested"),
    ({"holds": 7, "not tested": 2, "reported": 1}, "all 7 claims hold", "holds"),
    ({"holds": 6, "fails": 1}, "6 of 7 claims hold; fails: a", "fails"),
    ({"holds": 1, "fails": 1}, "1 of 2 claims holds; fails: a", "fails"),
    ({"fails": 1}, "the only claim fails: a", "fails"),
    ({"holds": 6, "fails": 4}, "6 of 10 claims hold; 4 fail", "fails"),
    ({"fails": 2}, "0 of 2 claims hold; 2 fail", "fails"),
    ({"undecided": 1}, "the only claim is undecided", "undecided"),
    ({"holds": 2, "undecided": 2, "compatible": 1}, "2 of 5 claims hold, 3 are undecided", "undecided"),
    ({"holds": 2, "undecided": 1, "fails": 1}, "2 of 4 claims hold, 1 is undecided; fails: a", "fails"),
]


def test_summary_is_one_line():
    for verdicts, text, verdict in SUMMARIES:
        summary = ClaimSummary.of(rows(verdicts))
        assert (summary.text, summary.verdict) == (text, verdict)
        assert (summary.reported, summary.not_tested) == (verdicts.get("reported", 0), verdicts.get("not tested", 0))


def test_links_of_pages_resolve_within_figures(folder, pages):
    count = 0
    for name, page in pages.items():
        for link in page.links():
            parts = urlsplit(link)
            if parts.scheme in ("https", "data"):
                assert parts.netloc in ("arxiv.org", "")
                continue
            path = (folder / name).parent / unquote(parts.path)
            target = path.resolve().relative_to(folder.resolve()).with_suffix("").as_posix() if parts.path else name
            assert not parts.path or path.is_file(), link
            if parts.fragment:
                assert unquote(parts.fragment) in pages[target].ids, link
            count += 1
    assert count > 1500


def test_pages_have_unique_ids_one_inline_script_and_labels_of_fields(pages):
    for page in pages.values():
        assert len(page.ids) == len(set(page.ids))
        assert not {"iframe", "link"} & {tag for tag, given in page.tags if given.get("rel") != "icon"}
        assert [given for tag, given in page.tags if tag == "script"] == [{}]
        assert not any(name.startswith("on") for _, given in page.tags for name in given)
    for name in PAGES:
        stack = []
        for tag, given in pages[name].tags:
            if tag in ("input", "select"):
                assert stack[-1] == "label", given
            if tag in ("label", "form"):
                stack.append(tag)


def test_figures_have_image_with_size_and_alt_text(folder, pages):
    for figure in CONFIG.figures():
        (given,) = [given for tag, given in pages[figure].tags if tag == "img"]
        assert given["src"] == f"../{figure}.png"
        with Image.open(folder / f"{figure}.png") as image:
            assert (int(given["width"]), int(given["height"])) == image.size
        assert len(given["alt"]) > 20
    thumbnails = [given for tag, given in pages["index"].tags if tag == "img" and given.get("loading")]
    assert [given["src"] for given in thumbnails] == [f"{figure}.png" for figure in CONFIG.figures()]


def test_figures_follow_each_other(pages):
    figures = CONFIG.figures()
    for before, after in pairwise(figures):
        for page, rel, other in ((before, "next", after), (after, "prev", before)):
            (link,) = [given["href"] for _, given in pages[page].tags if given.get("rel") == rel]
            assert link == f"../{other}.html"


def test_page_of_figure_has_only_its_settings(folder):
    text = unescape((folder / "max_margin/fig4a.html").read_text())
    settings = yaml.safe_load(re.search(r"<pre[^>]*>(.*?)</pre>", text, re.DOTALL)[1])
    assert list(settings) == ["figures", "runs", "problems"]
    assert list(settings["figures"]) == ["fig4a"]
    assert set(settings["runs"]) == {"normalized_step", "constant_step"}
    assert list(settings["problems"]) == ["multiple_inputs"]
    assert "snakemake figures/max_margin/fig4a.pdf" in text


def test_badge_counts_claims_of_papers_and_ours(folder):
    rows = [
        claim(FIGURE, "holds"),
        claim(FIGURE, "fails", basis="authors_code"),
        claim(FIGURE, "holds", basis="chosen"),
    ]
    rows = [{**row, "claim": str(k)} for k, row in enumerate(rows)]
    pages = render(TEMPLATES, SPEC, rows, CERTIFICATES, folder)
    for page in (pages["index"], pages[FIGURE]):
        assert "papers' claims: 1 of 2" in unescape(page)
        assert "our checks: 1 of 1" in page
    counts = re.findall(r'<b class="(holds|fails)">(\d+)</b>', pages["index"].split('id="max_margin"')[1])
    assert counts[:2] == [("holds", "1"), ("fails", "1")]


def test_published_numbers_are_beside_ours():
    rows = [
        claim(FIGURE, "holds", expected="1 2e-08 +- 0.1", measured="1.5 2e-08", published=True),
        claim(FIGURE, "compatible", expected="= 3", measured="3 4", published=True),
        claim(FIGURE, "holds", expected="= 0", measured="0"),
        claim(FIGURE, "holds", expected=">= 1", measured="1"),
        claim(FIGURE, "not tested", expected="", measured=""),
    ]
    assert [one["values"] for one in compare_published(rows)] == [
        [["1", "1.5", "+0.5"], ["2 · 10⁻⁸", "2 · 10⁻⁸", "0"]],
        [["3", "3", "0"], ["3", "4", "+1"]],
    ]


def test_unchecked_statements_are_listed_as_not_tested(folder):
    unchecked = SPEC["papers"][0]["unchecked"]
    assert unchecked
    text = unescape((folder / "index.html").read_text())
    assert f">{len(unchecked)}</b> not tested" in text
    assert all(row["where"] in text for row in unchecked)


def test_texts_are_escaped_and_code_is_marked(folder):
    texts = {page: (folder / f"{page}.html").read_text() for page in ("index", "claims")}
    for text in texts.values():
        assert "&lt;b&gt;A &amp; &#34;B&#34;&lt;/b&gt; &#39;fell&#39;" in text
        assert "<b>A" not in text
    assert '<p class="why"><code>of_code</code> 0.123456' in texts["claims"]
    assert "`" not in texts["claims"].split("<script>")[0]


def test_counts_match_claims(folder):
    text = " ".join((folder / "index.html").read_text().split())
    verdicts = [row["verdict"] for row in claims()]
    held, failed, reported = (verdicts.count(one) for one in ("holds", "fails", "reported"))
    assert f"<strong>{held} of {held + failed}</strong> judged claims hold, {failed} fail;" in text
    assert f"{reported} numbers are reported without a verdict. Computed" in text
    elsewhere = render(TEMPLATES, SPEC, [*claims(), *rows({"not tested": 1, "reported": 1})], CERTIFICATES, folder)
    said = f"{reported + 1} numbers are reported without a verdict; 1 claim is not for this scale or these data"
    assert all(said in " ".join(elsewhere[page].split()) for page in ("index", "claims"))


def test_failure_without_explanation_is_marked(folder):
    failed = [claim(FIGURE, "fails")]
    pages = render(TEMPLATES, SPEC, failed, CERTIFICATES, folder)
    assert all("Not explained yet." in pages[page] for page in (FIGURE, "claims"))
    assert "1 claim fails" in pages["index"]
    assert "with our checks" not in render(TEMPLATES, SPEC, rows({"holds": 1}), CERTIFICATES, folder)["index"]


def test_claims_page_lists_certificates(folder):
    text = (folder / "claims.html").read_text()
    assert '<td data-label="Certified" class="failed">6</td>' in text
    assert '<td data-label="Certified">1</td>' in text
    assert '<td data-label="Residual of infeasible">–</td>' in text
    assert '<td data-label="Largest residual">2.0 · 10⁻⁸</td>' in text
    none = render(TEMPLATES, SPEC, claims(), CERTIFICATES[:0], folder)
    assert "certificates" not in none["claims"]


def test_equal_inputs_give_equal_bytes_and_an_invalid_image_is_named(folder, tmp_path):
    again = render(TEMPLATES, SPEC, claims(), CERTIFICATES, folder)
    assert {name: (folder / f"{name}.html").read_text() for name in again} == again
    shutil.copytree(folder, tmp_path / "figures")
    (tmp_path / f"figures/{FIGURE}.png").write_bytes(b"<svg/>")
    with pytest.raises(UnidentifiedImageError, match=rf"{FIGURE}\.png"):
        render(TEMPLATES, SPEC, claims(), CERTIFICATES, tmp_path / "figures")
