"""The gallery in a real browser: it shows, fits a phone, can be read and used without a mouse."""

import json
import os
import re
import tempfile
import time
from pathlib import Path

import pytest
from PIL import Image

from attention_dynamics.gallery.pages import PAGES
from helpers import chromium
from helpers.gallery_pages import TEMPLATES, claims, write_pages
from helpers.page_checks import CONTRAST, FOCUSED, OVERFLOW

pytestmark = pytest.mark.skipif(
    chromium.program() is None and not os.environ.get("CHROMIUM_REQUIRED"), reason=chromium.GET
)
WIDTHS = (360, 768, 1280)
FIGURE = "max_margin/fig4b"
SHOWN = "[...document.querySelectorAll('[data-item]')].filter(one => one.checkVisibility()).map(one => one.id)"
SHOWN_FIGURES = SHOWN.replace("[data-item]", "#figures [data-item]")
CHOOSE = """((section, choices) => {
  const form = document.querySelector(`#${section} form.filters`)
  for (const [name, value] of Object.entries(choices)) form.elements[name].value = value
  form.dispatchEvent(new Event("input"))
})"""

PICTURES = """(async () => {
  const pictures = [...document.images]
  for (const picture of pictures) { picture.loading = "eager" }
  await Promise.all(pictures.map(picture => picture.decode()))
  return pictures.map(picture => Math.min(picture.naturalWidth, picture.clientWidth, picture.clientHeight))
})()"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_pages(tmp_path_factory.mktemp("gallery"))


@pytest.fixture(scope="module")
def browser():
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = chromium.Browser(Path(profile))
        yield browser
        browser.close()


@pytest.fixture(autouse=True)
def no_complaint(browser):
    browser.errors.clear()
    yield
    assert browser.errors == []


@pytest.mark.parametrize("page", [*PAGES, FIGURE])
@pytest.mark.parametrize("width", WIDTHS)
def test_page_fits_window(browser, folder, page, width):
    browser.open(folder / f"{page}.html", width)
    browser.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    assert browser.evaluate("document.documentElement.clientWidth") <= width
    assert browser.evaluate(OVERFLOW) == []


def test_pictures_are_displayed(browser, folder):
    browser.open(folder / "index.html", 1280)
    browser.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    shown = browser.evaluate(PICTURES)
    assert len(shown) == len(browser.evaluate(SHOWN_FIGURES))
    # The widest thumbnail is eleven times as wide as high.
    assert min(shown) > 20
    browser.open(folder / f"{FIGURE}.html", 1280)
    ratio = browser.evaluate("(one => one.clientWidth / one.clientHeight)(document.querySelector('.picture img'))")
    # Without the header, which is 100 pixels high.
    with Image.open(folder / f"{FIGURE}.png") as picture:
        assert ratio == pytest.approx(picture.width / (picture.height - 100), rel=0.01)


@pytest.mark.parametrize("page", [*PAGES, FIGURE])
@pytest.mark.parametrize("width", [390, 1280])
def test_targets_are_large_enough_for_a_finger(browser, folder, page, width):
    browser.open(folder / f"{page}.html", width)
    browser.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    # Links within a sentence are as high as its lines.
    targets = "a:not(p a, li > details a, figcaption a), summary, button, input, select"
    small = browser.evaluate(f"""[...document.querySelectorAll("{targets}")]
      .filter(one => one.checkVisibility() && !one.matches(".skip"))
      .map(one => [one.getBoundingClientRect().height, one.outerHTML.slice(0, 120)])
      .filter(([height]) => height < 24)""")
    assert small == []


def test_browser_takes_every_rule_of_the_style_sheets(browser, folder):
    for file in (*TEMPLATES.glob("*.css"), *(TEMPLATES / "explore").glob("*.css")):
        text = re.sub(r"/\*.*?\*/", "", file.read_text(), flags=re.DOTALL)
        browser.open(folder / "index.html", 1280)
        taken = browser.evaluate(f"""(() => {{
          const count = rules => [...rules].reduce((sum, one) => sum + 1 + count(one.cssRules ?? []), 0)
          const sheet = new CSSStyleSheet()
          sheet.replaceSync({json.dumps(text)})
          return count(sheet.cssRules)
        }})()""")
        assert taken == text.count("{"), file.name


@pytest.mark.parametrize("page", [*PAGES, FIGURE])
@pytest.mark.parametrize("colors", ["light", "dark"])
def test_text_has_enough_contrast(browser, folder, page, colors):
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": colors}])
    try:
        browser.open(folder / f"{page}.html", 1280)
        ground = browser.evaluate("getComputedStyle(document.body).backgroundColor")
        contrast, text = browser.evaluate(CONTRAST)
    finally:
        browser.call("Emulation.setEmulatedMedia", features=[])
    assert (max(map(int, ground[4:-1].split(","))) < 128) == (colors == "dark")
    assert 4.5 <= contrast <= 21, text


def test_search_and_filters_combine(browser, folder):
    browser.open(folder / "index.html", 1280)
    browser.evaluate("document.querySelectorAll('#figures details').forEach(one => one.open = true)")
    everything = browser.evaluate(SHOWN_FIGURES)
    browser.evaluate(f"{CHOOSE}('figures', {{paper: 'max_margin'}})")
    of_paper = browser.evaluate(SHOWN_FIGURES)
    assert of_paper == [one for one in everything if one.startswith("max_margin-")]
    browser.evaluate(f"{CHOOSE}('figures', {{search: 'max_margin/FIG4'}})")
    assert browser.evaluate(SHOWN_FIGURES) == ["max_margin-fig4"]
    browser.evaluate(f"{CHOOSE}('figures', {{search: '', verdict: 'fails', fidelity: 'extension'}})")
    failed = browser.evaluate(SHOWN_FIGURES)
    assert failed
    assert all(one.startswith("max_margin-ext_") for one in failed)
    output = "document.querySelector('#figures output').value"
    assert browser.evaluate(output) == f"{len(failed)} of {len(everything)} shown"
    # The statements have filters of their own.
    assert browser.evaluate("document.querySelectorAll('#statements [data-item][hidden]').length") == 0
    browser.evaluate("document.querySelector('#figures form button').click()")
    browser.evaluate("new Promise(done => setTimeout(done))")
    assert browser.evaluate(output) == f"{len(everything)} of {len(everything)} shown"


def test_filters_are_in_the_address_and_are_read_from_it(browser, folder):
    shown = "[...document.querySelectorAll('#statements [data-item]:not([hidden])')].map(one => one.dataset.verdict)"
    browser.open(folder / "index.html", 1280, fragment="#statements?paper=max_margin&verdict=partly")
    verdicts = browser.evaluate(shown)
    assert verdicts
    assert set(verdicts) == {"partly"}
    assert browser.evaluate("document.querySelector('#statements [name=paper]').value") == "max_margin"
    opened = browser.evaluate(
        "[...document.querySelectorAll('#statements > details[open]:not([hidden])')].map(one => one.id)"
    )
    assert opened == ["max_margin"]
    browser.evaluate(f"{CHOOSE}('statements', {{paper: '', search: 'a b'}})")
    assert browser.evaluate("location.hash") == "#statements?search=a+b&verdict=partly"
    browser.evaluate("document.querySelector('#statements form button').click()")
    assert browser.evaluate("new Promise(done => setTimeout(() => done(location.hash)))") == "#statements"
    # A link to a part of the page changes no filter.
    count = len(browser.evaluate(shown))
    browser.evaluate(f"{CHOOSE}('statements', {{verdict: 'partly'}}); location.hash = '#figures'")
    browser.evaluate("new Promise(done => setTimeout(done, 100))")
    assert 0 < len(browser.evaluate(shown)) < count


def test_counts_lead_to_the_statements_that_they_count(browser, folder):
    browser.open(folder / "index.html", 1280)
    links = browser.evaluate("[...document.querySelectorAll('.counts td a')].map(one => one.firstChild.data)")
    assert len(links) > 10
    for place, count in enumerate(links[::5]):
        browser.evaluate(f"document.querySelectorAll('.counts td a')[{5 * place}].click()")
        browser.evaluate("new Promise(done => setTimeout(done, 50))")
        shown = browser.evaluate("document.querySelector('#statements output').value")
        not_judged = int(count) - int(shown.split()[0])
        # Summaries by others are counted as not tested, and listed below the table.
        assert not_judged == 0 or "not-tested" in browser.evaluate("location.hash")


def test_claims_are_folded_and_open_where_a_filter_finds_them(browser, folder):
    browser.open(folder / "claims.html", 1280)
    assert browser.evaluate(f"{SHOWN}.length") == 0
    browser.open(folder / "claims.html", 1280, fragment="#claims?verdict=fails")
    failing = browser.evaluate(
        "[...document.querySelectorAll('.verdict.fails')].filter(one => one.checkVisibility()).length"
    )
    assert failing == sum(row["verdict"] == "fails" for row in claims())
    browser.open(folder / "claims.html", 1280, fragment="#max_margin-fig4b")
    assert browser.evaluate("document.getElementById('max_margin-fig4b').open")


@pytest.mark.parametrize("page", ["claims", FIGURE])
@pytest.mark.parametrize("width", [390, 768, 990])
def test_words_of_claims_are_not_broken(browser, folder, page, width):
    browser.open(folder / f"{page}.html", width)
    browser.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    narrowest = browser.evaluate(
        "Math.min(...[...document.querySelectorAll('.claims td')].map(one => one.clientWidth))"
    )
    assert narrowest > 0.7 * width


def test_column_is_sorted_both_ways(browser, folder):
    browser.open(folder / "claims.html", 1280)
    column = "[...document.querySelector('.programs').tBodies[0].rows].map(row => +row.cells[1].textContent)"
    for order in ([1, 5], [5, 1]):
        browser.evaluate("document.querySelectorAll('.programs th button')[1].click()")
        assert browser.evaluate(column) == order


def test_link_to_folded_settings_opens_them(browser, folder):
    browser.open(folder / "settings.html", 1280, fragment="#max_margin-fig4a")
    assert browser.evaluate("document.getElementById('max_margin-fig4a').open")


def open_without_script(browser, page):
    """Open a page and wait without listening to events, which needs scripts."""
    browser.call("Page.navigate", url=page.resolve().as_uri())
    deadline = time.monotonic() + 30
    while browser.evaluate(f"document.readyState == 'complete' && location.pathname.endsWith('{page.name}')") is False:
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_pages_work_without_script(browser, folder):
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        open_without_script(browser, folder / "index.html")
        browser.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        assert len(browser.evaluate(SHOWN_FIGURES)) > 40
        assert browser.evaluate("document.querySelector('form').checkVisibility()") is False
        open_without_script(browser, folder / "claims.html")
        assert browser.evaluate("document.querySelectorAll('th button').length") == 0
    finally:
        browser.call("Emulation.setScriptExecutionDisabled", value=False)


def test_pages_request_nothing_but_their_pictures(browser, folder):
    browser.requests.clear()
    for page in [*PAGES, FIGURE]:
        browser.open(folder / f"{page}.html", 1280)
    here = folder.resolve().as_uri()
    assert [one for one in browser.requests if not one.startswith((here, "data:", "about:"))] == []


def test_tab_key_visits_links_in_order(browser, folder):
    browser.open(folder / "index.html", 1280)
    focused = []
    for _ in range(40):
        browser.press("Tab")
        focused.append(browser.evaluate(FOCUSED))
    assert focused[0]["text"] == "Skip to the content"
    assert all(one["outline"] >= 2 and one["inside"] for one in focused), focused
    places = [one["at"] for one in focused]
    assert places == sorted(set(places))


def test_first_link_skips_to_content(browser, folder):
    browser.open(folder / "index.html", 1280)
    browser.press("Tab")
    browser.press("Enter")
    assert browser.evaluate("document.activeElement.id") == "main"
    browser.press("Tab")
    assert browser.evaluate("document.querySelector('main').contains(document.activeElement)")


def test_printed_page_has_no_navigation_and_fits(browser, folder):
    browser.open(folder / "index.html", 700)
    browser.call("Emulation.setEmulatedMedia", media="print")
    try:
        assert browser.evaluate("getComputedStyle(document.querySelector('nav')).display") == "none"
        assert browser.evaluate(OVERFLOW) == []
    finally:
        browser.call("Emulation.setEmulatedMedia", media="")
