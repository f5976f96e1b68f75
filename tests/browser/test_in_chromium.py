"""The gallery in a real browser: it shows, fits a phone, can be read and used without a mouse."""

import os
import tempfile
import time
from pathlib import Path

import pytest

from attention_dynamics.gallery.pages import PAGES
from helpers import chromium
from helpers.gallery_pages import CONFIG, write_pages
from helpers.page_checks import CONTRAST, FOCUSED, OVERFLOW

pytestmark = pytest.mark.skipif(
    chromium.program() is None and not os.environ.get("CHROMIUM_REQUIRED"), reason=chromium.GET
)
WIDTHS = (360, 768, 1280)
FIGURE = "max_margin/fig4a"
SHOWN = "[...document.querySelectorAll('[data-item]')].filter(one => one.checkVisibility()).map(one => one.id)"
CHOOSE = """(choices => {
  const form = document.querySelector("form.filters")
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
    shown = browser.evaluate(PICTURES)
    assert len(shown) == len(CONFIG.figures()) + len(CONFIG.papers)
    # The widest thumbnail is seven times as wide as high.
    assert min(shown) > 25


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
    everything = browser.evaluate(SHOWN)
    assert len(everything) == len(CONFIG.figures())
    of_paper = [f"max_margin-{name}" for name in CONFIG.papers["max_margin"].figures]
    browser.evaluate(f"{CHOOSE}({{paper: 'max_margin'}})")
    assert browser.evaluate(SHOWN) == of_paper
    browser.evaluate(f"{CHOOSE}({{search: 'FIG4'}})")
    assert browser.evaluate(SHOWN) == [one for one in of_paper if "-fig4" in one]
    browser.evaluate(f"{CHOOSE}({{search: '', verdict: 'fails', fidelity: 'extension'}})")
    failed = browser.evaluate(SHOWN)
    chosen = "[data-verdict=fails][data-fidelity=extension][data-paper=max_margin]"
    assert failed == browser.evaluate(f"[...document.querySelectorAll('{chosen}')].map(one => one.id)") != []
    assert browser.evaluate("document.querySelector('output').value") == f"{len(failed)} of {len(everything)} shown"
    assert browser.evaluate("document.querySelectorAll('[data-group]:not([hidden])').length") == 1
    browser.evaluate("document.querySelector('form button').click()")
    assert browser.evaluate(f"new Promise(done => setTimeout(() => done({SHOWN})))") == everything


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
        assert len(browser.evaluate(SHOWN)) == len(CONFIG.figures())
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
