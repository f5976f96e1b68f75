"""The gallery in a real browser: it shows, fits a phone, can be read and used without a mouse."""

import os
import tempfile
from pathlib import Path

import pytest

import chromium
from attention_dynamics.gallery.pages import PAGES
from gallery_pages import CONFIG, make

pytestmark = pytest.mark.skipif(
    chromium.program() is None and not os.environ.get("CHROMIUM_REQUIRED"), reason=chromium.GET
)
WIDTHS = (360, 768, 1280)

# The text that stands out least from its ground, as contrast after WCAG and the text.
CONTRAST = """(() => {
  const channels = color => color.match(/[\\d.]+/g).map(Number)
  const light = ([r, g, b]) => [.2126 * r, .7152 * g, .0722 * b].map((_, k) => {
    const s = [r, g, b][k] / 255
    return [.2126, .7152, .0722][k] * (s <= .04045 ? s / 12.92 : ((s + .055) / 1.055) ** 2.4)
  }).reduce((a, b) => a + b)
  const ground = node => {
    for (; node; node = node.parentElement) {
      const color = channels(getComputedStyle(node).backgroundColor)
      if (color.length == 3 || color[3] == 1) return color
    }
    return [255, 255, 255]
  }
  const found = [...document.querySelectorAll("body *")]
    .filter(node => [...node.childNodes].some(child => child.nodeType == 3 && child.data.trim()))
    .map(node => {
      const [a, b] = [light(channels(getComputedStyle(node).color)), light(ground(node))]
      return [(Math.max(a, b) + .05) / (Math.min(a, b) + .05), node.outerHTML.slice(0, 200)]
    })
  return found.reduce((least, one) => one[0] < least[0] ? one : least)
})()"""
OVERFLOW = """[...document.querySelectorAll("body *")].filter(node => !node.closest("pre") &&
  node.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .map(node => node.outerHTML.slice(0, 200))"""
PICTURES = """(async () => {
  const pictures = [...document.images]
  for (const picture of pictures) { picture.loading = "eager" }
  await Promise.all(pictures.map(picture => picture.decode()))
  return pictures.map(picture => Math.min(picture.naturalWidth, picture.clientWidth, picture.clientHeight))
})()"""
FOCUSED = """(() => {
  const node = document.activeElement, style = getComputedStyle(node), box = node.getBoundingClientRect()
  return {text: node.textContent.trim(), at: [...document.querySelectorAll("*")].indexOf(node), tag: node.tagName,
    outline: style.outlineStyle == "none" ? 0 : parseFloat(style.outlineWidth),
    inside: box.bottom > 0 && box.top < innerHeight}
})()"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make(tmp_path_factory.mktemp("gallery"))


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
def test_a_page_fits_the_window(browser, folder, page, width):
    browser.open(folder / f"{page}.html", width)
    browser.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    assert browser.evaluate("document.documentElement.clientWidth") <= width
    assert browser.evaluate(OVERFLOW) == []


def test_every_picture_shows(browser, folder):
    browser.open(folder / "index.html", 1280)
    shown = browser.evaluate(PICTURES)
    assert len(shown) == len(CONFIG.figures())
    assert min(shown) > 50


@pytest.mark.parametrize("page", PAGES)
def test_all_text_can_be_read(browser, folder, page):
    browser.open(folder / f"{page}.html", 1280)
    contrast, text = browser.evaluate(CONTRAST)
    assert 4.5 <= contrast <= 21, text


def test_keys_lead_through_the_page(browser, folder):
    browser.open(folder / "index.html", 1280)
    focused = []
    for _ in range(40):
        browser.press("Tab")
        focused.append(browser.evaluate(FOCUSED))
    assert focused[0]["text"] == "Skip to the content"
    assert all(one["outline"] >= 2 and one["inside"] for one in focused), focused
    places = [one["at"] for one in focused]
    assert places == sorted(set(places))


def test_the_first_link_skips_to_the_content(browser, folder):
    browser.open(folder / "index.html", 1280)
    browser.press("Tab")
    browser.press("Enter")
    assert browser.evaluate("document.activeElement.id") == "main"
    browser.press("Tab")
    assert browser.evaluate("document.querySelector('main').contains(document.activeElement)")


def test_on_paper_there_is_no_navigation_and_nothing_is_cut_off(browser, folder):
    browser.open(folder / "index.html", 700)
    browser.call("Emulation.setEmulatedMedia", media="print")
    try:
        assert browser.evaluate("getComputedStyle(document.querySelector('nav')).display") == "none"
        assert browser.evaluate(OVERFLOW) == []
    finally:
        browser.call("Emulation.setEmulatedMedia", media="")
