"""The gallery's pages as texts: what they say, what they link to, what they escape."""

import json
import re
import shutil
from html import unescape
from html.parser import HTMLParser
from io import BytesIO
from urllib.parse import unquote, urlsplit

import pytest
import yaml
from PIL import Image, UnidentifiedImageError

from attention_dynamics.claims.claim_summary import ClaimSummary
from attention_dynamics.gallery.pages import PAGES, compare_published, render
from attention_dynamics.gallery.pictures import thumbnail
from helpers.gallery_pages import CERTIFICATES, CONFIG, SPEC, TEMPLATES, claim, claims, statements, write_pages

pytestmark = pytest.mark.slow

FIGURE = "max_margin/fig1a"


class Page(HTMLParser):
    """Tags with their attributes, ids, and links."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict]] = []
        self.feed(text)
        self.ids = [attributes["id"] for _, attributes in self.tags if "id" in attributes]
        self.links = [given[key] for _, given in self.tags for key in ("href", "src") if key in given]

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))


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
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme in ("https", "data"):
                assert parts.netloc in ("arxiv.org", "")
                continue
            path = (folder / name).parent / unquote(parts.path)
            target = path.resolve().relative_to(folder.resolve()).with_suffix("").as_posix() if parts.path else name
            assert not parts.path or path.is_file(), link
            if parts.fragment and target != "explore":
                # After a question mark stand the values of a filter.
                assert unquote(parts.fragment).split("?")[0] in pages[target].ids, link
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


def test_figures_have_image_with_size_below_its_header_and_alt_text(folder, pages):
    for figure in CONFIG.figures():
        (given,) = [given for tag, given in pages[figure].tags if tag == "img" and not given.get("loading")]
        assert given["src"] == f"../{figure}.png"
        with Image.open(folder / f"{figure}.png") as image:
            assert (int(given["width"]), int(given["height"])) == (image.width, image.height - 100)
        assert len(given["alt"]) > 20


def test_index_has_a_card_of_every_figure_that_is_no_panel(pages):
    shown = [given["src"] for tag, given in pages["index"].tags if tag == "img"]
    panels = {f"{paper.name}/{name}" for paper in CONFIG.papers.values() for name in paper.figures
              if name[:-1] in paper.figures and name[-1].isalpha()}  # fmt: skip
    assert "max_margin/fig1a" in panels
    assert "max_margin/fig9a" not in panels
    assert sorted(shown) == sorted(f"{figure}.small.webp" for figure in set(CONFIG.figures()) - panels)
    assert {f"{figure}.html" for figure in CONFIG.figures()} <= set(pages["index"].links)


def neighbour(page: Page, rel: str) -> str | None:
    """Return the figure that a page names as its previous or next one."""
    found = [given["href"] for _, given in page.tags if given.get("rel") == rel]
    return found[0].removeprefix("../").removesuffix(".html") if found else None


def test_figures_follow_each_other_as_in_their_paper(pages):
    for paper in CONFIG.papers:
        listed = {figure for figure in CONFIG.figures() if figure.startswith(f"{paper}/")}
        (figure,) = [one for one in listed if not neighbour(pages[one], "prev")]
        order = [figure]
        while figure := neighbour(pages[figure], "next"):
            assert neighbour(pages[figure], "prev") == order[-1]
            order.append(figure)
        assert set(order) == listed
        names = [figure.partition("/")[2] for figure in order]
        own = [name for name in names if name.startswith("ext_")]
        assert names[len(names) - len(own) :] == own
        numbered = [name for name in names if re.match(r"fig\d", name)]
        assert numbered == sorted(numbered, key=lambda name: (int(re.search(r"\d+", name)[0]), name))


def test_page_of_figure_has_only_its_settings(folder):
    text = unescape((folder / "max_margin/fig4a.html").read_text())
    settings = yaml.safe_load(re.search(r"<pre[^>]*>(.*?)</pre>", text, re.DOTALL)[1])
    assert list(settings) == ["figures", "runs", "problems"]
    assert list(settings["figures"]) == ["fig4a"]
    assert set(settings["runs"]) == {"normalized_step", "constant_step"}
    assert list(settings["problems"]) == ["multiple_inputs"]
    assert "snakemake figures/max_margin/fig4a.pdf" in text


def test_verdict_line_counts_claims_and_statements_in_doubt(folder):
    rows = [claim(FIGURE, verdict, claim=verdict, statement="fig1a-converges") for verdict in ("holds", "fails")]
    rows += [claim(FIGURE, "undecided", claim=one) for one in ("x", "y")]
    stated = [one | {"verdict": "partly"} for one in statements() if one["id"] == "fig1a-converges"]
    pages = render(TEMPLATES, SPEC, rows, stated, CERTIFICATES, folder)
    for page in (pages["index"], pages[FIGURE]):
        for text in ("1 claim fails", "2 are undecided", "1 claim holds", "1 statement is in doubt"):
            assert f">{text}</span>" in page
    verdicts = re.findall(r'<td><span class="verdict ([a-z-]+)">', pages[FIGURE])
    assert verdicts == ["undecided", "fails", "undecided", "undecided", "holds"]


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


def test_index_lists_every_statement_and_links_its_counts_to_them(folder, pages):
    listed = statements()
    judged = [one for one in listed if one["verdict"] != "not judged"]
    ids = {f"statement-{one['paper']}-{one['id']}" for one in judged}
    assert ids == {id for id in pages["index"].ids if id.startswith("statement-")}
    text = " ".join(unescape((folder / "index.html").read_text()).split())
    standing = ("supported", "no counterexample", "agrees with our reconstruction", "checked by a test")
    assert f"{sum(one['verdict'] in standing for one in listed)} of {len(judged)} statements</strong>" in text
    items = [given for tag, given in pages["index"].tags if tag == "tr" and "data-kind" in given]
    for link, count in re.findall(r'<a href="#statements\?([^"]*)">(\d+)', text):
        wanted = dict(part.split("=") for part in link.split("&"))
        start = f"statement-{wanted.pop('paper')}-"
        same = [
            one for one in items
            if one["id"].startswith(start) and all(one[f"data-{name}"] == value for name, value in wanted.items())
        ]  # fmt: skip
        assert int(count) == len(same) > 0


def test_doubts_have_sentence_measurement_and_reason(folder, pages):
    doubts = ("contradicted", "counterexample", "partly", "depends on the reading", "undecided")
    wanted = [one for one in statements() if one["verdict"].startswith((*doubts, "disagrees"))]
    assert [f"{one['paper']}-{one['id']}" for one in wanted] == [id for id in pages["doubts"].ids if "-" in id]
    text = (folder / "doubts.html").read_text()
    assert text.count("<dt>Why</dt>") == text.count("<dt>Ours</dt>") == len(wanted)


def test_texts_are_escaped_and_code_is_marked(folder):
    texts = {page: (folder / f"{page}.html").read_text() for page in ("doubts", "claims")}
    assert "&lt;b&gt;A &amp; &#34;B&#34;&lt;/b&gt; &#39;fell&#39;" in texts["claims"]
    assert "<b>A" not in texts["claims"]
    assert '<p class="why"><code>of_code</code> 0.123456' in texts["claims"]
    assert "<code>of_code</code> 0.123456" in texts["doubts"]
    assert not any("`" in text.split("<script>")[0] for text in texts.values())


def test_counts_match_claims(folder):
    text = " ".join((folder / "claims.html").read_text().split())
    verdicts = [row["verdict"] for row in claims()]
    held, failed, undecided, reported = (verdicts.count(one) for one in ("holds", "fails", "undecided", "reported"))
    assert f"{held} of {held + failed + undecided} judged claims hold, {failed} fail; {reported} numbers are" in text
    more = [*claims(), *rows({"not tested": 1, "reported": 1})]
    elsewhere = render(TEMPLATES, SPEC, more, statements(), CERTIFICATES, folder)
    said = f"{reported + 1} numbers are reported without a verdict; 1 claim is not for this scale or these data"
    assert said in " ".join(elsewhere["claims"].split())


def test_failure_without_explanation_is_marked(folder):
    failed = [claim(FIGURE, "fails")]
    pages = render(TEMPLATES, SPEC, failed, [], CERTIFICATES, folder)
    assert all("Not explained yet." in pages[page] for page in (FIGURE, "claims"))


def test_record_on_real_data_is_beside_the_figure(folder):
    spec = json.loads(json.dumps(SPEC))
    figures = [one for paper in spec["papers"] for one in paper["figures"]]
    for figure in figures:
        figure["record"] = None
    next(one for one in figures if one["figure"] == "fig7")["record"] = "On $n$ images"
    rows = [row | {"real_data": f"holds: {k}, expected <= 1"} for k, row in enumerate(statements())]
    pages = render(TEMPLATES, spec, [], rows, CERTIFICATES, folder)
    (page,) = [text for text in pages.values() if "/fig7.record.png" in text]
    assert '/fig7.record.png" loading="lazy" alt="On n images">' in page
    assert "<strong>real data</strong> holds: 1, expected ≤ 1" in pages["index"]


def test_claims_page_lists_certificates(folder):
    text = (folder / "claims.html").read_text()
    assert '<td data-label="Certified" class="failed">6</td>' in text
    assert '<td data-label="Certified">1</td>' in text
    assert '<td data-label="Residual of infeasible">–</td>' in text
    assert '<td data-label="Largest residual">2.0 · 10⁻⁸</td>' in text
    none = render(TEMPLATES, SPEC, claims(), statements(), CERTIFICATES[:0], folder)
    assert "certificates" not in none["claims"]


def test_equal_inputs_give_equal_bytes_and_an_invalid_image_is_named(folder, tmp_path):
    again = render(TEMPLATES, SPEC, claims(), statements(), CERTIFICATES, folder)
    assert {name: (folder / f"{name}.html").read_text() for name in again} == again
    shutil.copytree(folder, tmp_path / "figures")
    (tmp_path / f"figures/{FIGURE}.png").write_bytes(b"<svg/>")
    with pytest.raises(UnidentifiedImageError, match=rf"{FIGURE}\.png"):
        render(TEMPLATES, SPEC, claims(), statements(), CERTIFICATES, tmp_path / "figures")


def test_thumbnails_are_small_and_have_no_header(folder):
    files = [*folder.glob("*/*.small.webp")]
    assert len(files) == len(CONFIG.figures())
    for file in files:
        with Image.open(file) as image:
            assert image.width <= 512
            assert image.height <= 384
    picture = folder / "header.png"
    with Image.new("RGB", (400, 300), "white") as image:
        image.paste("black", (0, 0, 400, 100))
        image.save(picture)
    picture.with_suffix(".pdf").write_text("/MediaBox [ 0 0 100 50 ]")
    with Image.open(BytesIO(thumbnail(picture))) as small:
        assert small.size == (400, 200)
        assert min(low for low, _ in small.getextrema()) > 250
    picture.with_suffix(".pdf").write_text("")
    with pytest.raises(ValueError, match=r"header\.pdf: no size in it"):
        thumbnail(picture)


def test_style_sheets_are_complete():
    """Every block is closed, every rule has a selector before its declarations, and each of these is complete."""
    for file in (*TEMPLATES.glob("*.css"), *(TEMPLATES / "explore").glob("*.css")):
        text = re.sub(r"/\*.*?\*/", "", file.read_text(), flags=re.DOTALL)
        while match := re.search(r"([^{}]*)\{([^{}]*)\}", text):
            selector, declarations = match[1].strip(), match[2].strip()
            assert re.search(r"[^\s,;]\Z", selector), f"{file.name}: {match[0]}"
            for one in filter(str.strip, declarations.split(";")):
                assert re.match(r"\s*[-a-z0-9]+:\s*\S", one), f"{file.name}: {match[0]}"
            # The rules in a block of rules take the place of declarations: none are left.
            text = text[: match.start()] + text[match.end() :]
        assert not text.strip(), file.name
