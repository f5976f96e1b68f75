"""The gallery's pages as texts: what they say, what they link to, what they escape."""

from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import pytest

from attention_dynamics.claims.claim_summary import ClaimSummary
from attention_dynamics.gallery.pages import PAGES, render
from attention_dynamics.gallery.png_size import png_size
from helpers.gallery_pages import CERTIFICATES, CONFIG, SPEC, TEMPLATES, claim, claims, png, write_pages

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
    return {page: Page((folder / f"{page}.html").read_text()) for page in PAGES}


def rows(**verdicts: int) -> list[dict]:
    """Claims by verdict; those that fail say 'a', 'b', ..."""
    return [claim(FIGURE, v, says=chr(ord("a") + k)) for v, count in verdicts.items() for k in range(count)]


@pytest.mark.parametrize(
    ("verdicts", "text", "verdict"),
    [
        ({}, "nothing judged", "not_judged"),
        ({"not_judged": 3}, "nothing judged", "not_judged"),
        ({"held": 1}, "the only claim holds", "held"),
        ({"reported": 3}, "nothing judged", "not_judged"),
        ({"held": 7, "not_judged": 2, "reported": 1}, "all 7 claims hold", "held"),
        ({"held": 6, "failed": 1}, "6 of 7 claims hold; fails: a", "failed"),
        ({"held": 1, "failed": 1}, "1 of 2 claims holds; fails: a", "failed"),
        ({"failed": 1}, "the only claim fails: a", "failed"),
        ({"held": 6, "failed": 4}, "6 of 10 claims hold; 4 fail", "failed"),
        ({"failed": 2}, "0 of 2 claims hold; 2 fail", "failed"),
    ],
)
def test_summary_is_one_line(verdicts, text, verdict):
    summary = ClaimSummary.of(rows(**verdicts))
    assert (summary.text, summary.verdict) == (text, verdict)
    assert (summary.reported, summary.not_judged) == (verdicts.get("reported", 0), verdicts.get("not_judged", 0))


def test_links_of_pages_resolve(folder, pages):
    count = 0
    for page in pages.values():
        for link in page.links():
            parts = urlsplit(link)
            if parts.scheme in ("https", "data"):
                assert parts.netloc in ("arxiv.org", "")
                continue
            target = (folder / unquote(parts.path)).resolve() if parts.path else None
            assert target is None or target.is_file(), link
            if parts.fragment:
                assert parts.fragment in (pages[target.stem] if target else page).ids, link
            count += 1
    assert count > 600


def test_ids_are_unique_and_pages_have_no_scripts(pages):
    for page in pages.values():
        assert len(page.ids) == len(set(page.ids))
        assert not {"script", "iframe", "link"} & {tag for tag, given in page.tags if given.get("rel") != "icon"}
        assert not any(name.startswith("on") for _, given in page.tags for name in given)


def test_figures_have_image_with_size_and_alt_text(folder, pages):
    pictures = [given for tag, given in pages["index"].tags if tag == "img"]
    assert [given["src"] for given in pictures] == [f"{figure}.png" for figure in CONFIG.figures()]
    for given in pictures:
        assert (int(given["width"]), int(given["height"])) == png_size(folder / given["src"])
        assert len(given["alt"]) > 20


def test_texts_are_escaped(folder):
    for page in ("index", "claims"):
        text = (folder / f"{page}.html").read_text()
        assert "&lt;b&gt;A &amp; &#34;B&#34;&lt;/b&gt; &#39;fell&#39;" in text
        assert "<b>" not in text


def test_counts_match_claims(folder):
    text = " ".join((folder / "index.html").read_text().split())
    verdicts = [row["verdict"] for row in claims()]
    held, failed, reported = (verdicts.count(one) for one in ("held", "failed", "reported"))
    assert f"<strong>{held} of {held + failed}</strong> judged claims hold, {failed} fail;" in text
    assert f"{reported} numbers are reported without a verdict. Computed" in text
    elsewhere = render(TEMPLATES, SPEC, [*claims(), *rows(not_judged=1, reported=1)], CERTIFICATES, folder)
    said = f"{reported + 1} numbers are reported without a verdict; 1 claim is not for this scale or these data"
    assert all(said in " ".join(elsewhere[page].split()) for page in ("index", "claims"))


def test_failure_without_explanation_is_marked(folder):
    failed = [claim(FIGURE, "failed")]
    pages = render(TEMPLATES, SPEC, failed, CERTIFICATES, folder)
    assert all("Not explained yet." in pages[page] for page in ("index", "claims"))
    assert "What failed" not in render(TEMPLATES, SPEC, rows(held=1), CERTIFICATES, folder)["index"]


def test_figure_with_some_failed_claims_fails_in_part(folder):
    assert "fails in part</span>" in render(TEMPLATES, SPEC, rows(held=1, failed=1), CERTIFICATES, folder)["index"]
    assert "in part" not in render(TEMPLATES, SPEC, rows(failed=1), CERTIFICATES, folder)["index"]


def test_claims_page_lists_certificates(folder):
    text = (folder / "claims.html").read_text()
    assert '<td data-label="Certified" class="failed">6</td>' in text
    assert '<td data-label="Certified">1</td>' in text
    assert '<td data-label="Residual of infeasible">–</td>' in text
    assert '<td data-label="Largest residual">2.0e-08</td>' in text
    none = render(TEMPLATES, SPEC, claims(), CERTIFICATES[:0], folder)
    assert "certificates" not in none["claims"]


def test_equal_inputs_give_equal_bytes(folder):
    again = render(TEMPLATES, SPEC, claims(), CERTIFICATES, folder)
    assert {name: (folder / f"{name}.html").read_text() for name in PAGES} == again


def test_invalid_image_is_named(tmp_path):
    (tmp_path / "a.png").write_bytes(png(30, 20))
    assert png_size(tmp_path / "a.png") == (30, 20)
    for content in (b"", b"<svg/>" * 9, png(3, 2)[:20]):
        (tmp_path / "a.png").write_bytes(content)
        with pytest.raises(ValueError, match=r"a\.png is not a PNG file"):
            png_size(tmp_path / "a.png")
