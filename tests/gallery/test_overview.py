"""The page of all figures, and its thumbnails."""

import io
import re

import pytest
from PIL import Image

from attention_dynamics.gallery.overview import (
    FAILURE,
    PAGE,
    escape,
    failures_by_figure,
    render_overview,
)
from attention_dynamics.gallery.thumbnails import FOLDER, MAX_HEIGHT_PX, MAX_WIDTH_PX, shrink, write_thumbnails
from conftest import ROOT
from helpers.published_config import published_config

MAX_BYTES = 4_000_000


@pytest.fixture(scope="module")
def config():
    return published_config()


@pytest.fixture
def pictures(tmp_path):
    """A folder with three figures of two papers."""
    for name in ("a/one", "a/two", "b/one"):
        file = tmp_path / "figures" / f"{name}.png"
        file.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (1000, 500), "white").save(file)
    return tmp_path / "figures"


def remove_failures(page):
    """Return the page without the claims that failed, which depends on the configuration alone."""
    return re.sub(rf"^{re.escape(FAILURE)}.*\n\n?", "", page, flags=re.MULTILINE)


def test_page_lists_figures_of_configuration(config):
    assert remove_failures((ROOT / PAGE).read_text()) == render_overview(config, {})


def test_every_figure_has_thumbnail(config):
    thumbnails = {
        file.relative_to(ROOT / FOLDER).with_suffix("").as_posix() for file in (ROOT / FOLDER).glob("*/*.png")
    }
    assert thumbnails == {f"{paper}/{name}" for paper, it in config.papers.items() for name in it.figures}


def test_thumbnails_are_small():
    files = list((ROOT / FOLDER).glob("*/*.png"))
    assert sum(file.stat().st_size for file in files) < MAX_BYTES
    for file in files:
        with Image.open(file) as image:
            assert image.width <= MAX_WIDTH_PX
            assert image.height <= MAX_HEIGHT_PX


def test_failures_are_in_section_of_figure(config):
    figure, claims = next((name, claims) for name, claims in config.papers["max_margin"].claims.items() if claims)
    row = {"paper": "max_margin", "figure": figure, "claim": claims[0].name, "says": "It holds", "source": "Section 1",
           "basis": "paper", "expected": "<= 1", "measured": "2", "verdict": "failed"}  # fmt: skip
    page = render_overview(config, failures_by_figure([row, row | {"verdict": "held", "claim": "other"}]))
    (section,) = [section for section in page.split("\n### ") if FAILURE in section]
    assert section.startswith(f"max_margin/{figure}\n")
    assert f"`{claims[0].name}`. It holds. Expected: \\<= 1. Measured: 2. Basis: `paper`, Section 1." in section
    assert "`other`" not in section
    assert remove_failures(page) == render_overview(config, {})


def test_texts_are_escaped_for_markdown():
    assert escape("a < b, [50, 100],\np* of $x_1$") == r"a \< b, \[50, 100\], p\* of $x_1$"


@pytest.mark.parametrize(
    ("size", "expected"),
    [((1440, 400), (720, 200)), ((600, 1200), (270, 540)), ((300, 200), (300, 200))],
    ids=["wide", "tall", "small"],
)
def test_images_are_shrunk_but_never_enlarged(tmp_path, size, expected):
    Image.new("RGB", size, "white").save(tmp_path / "a.png")
    with Image.open(io.BytesIO(shrink(tmp_path / "a.png"))) as small:
        assert small.size == expected


def test_thumbnails_of_removed_figures_are_deleted(tmp_path, pictures):
    write_thumbnails(["a/one", "a/two", "b/one"], pictures, tmp_path / "small")
    write_thumbnails(["a/two", "b/one"], pictures, tmp_path / "small")
    assert {file.relative_to(tmp_path / "small").as_posix() for file in (tmp_path / "small").rglob("*.png")} == {
        "a/two.png",
        "b/one.png",
    }


def test_thumbnails_of_incomplete_folder_are_not_written(tmp_path, pictures):
    with pytest.raises(FileNotFoundError, match="missing"):
        write_thumbnails(["a/one", "a/missing"], pictures, tmp_path / "small")
    assert not (tmp_path / "small").exists()
