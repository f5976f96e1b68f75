"""The gallery in a real browser: it shows, fits a phone, can be read and used without a mouse."""

import os
import tempfile
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


@pytest.mark.parametrize("page", PAGES)
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
    assert len(shown) == len(CONFIG.figures())
    assert min(shown) > 50


@pytest.mark.parametrize("page", PAGES)
def test_text_has_enough_contrast(browser, folder, page):
    browser.open(folder / f"{page}.html", 1280)
    contrast, text = browser.evaluate(CONTRAST)
    assert 4.5 <= contrast <= 21, text


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
