"""The page of all figures, and its thumbnails."""

import io
import re

import pytest
from PIL import Image

from attention_dynamics.gallery.preview import (
    FAILURE,
    MAX_HEIGHT_PX,
    MAX_WIDTH_PX,
    PAGE,
    THUMBNAILS,
    render_overview,
    shrink,
    write_thumbnails,
)
from attention_dynamics.plots.labels import escape_markdown
from conftest import ROOT
from helpers.published_config import published_config

MAX_BYTES = 4_000_000
CONFIG = published_config()


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


def test_page_lists_figures_of_configuration():
    assert remove_failures((ROOT / PAGE).read_text()) == render_overview(CONFIG, [])


def test_every_figure_has_a_small_thumbnail():
    files = {
        file.relative_to(ROOT / THUMBNAILS).with_suffix("").as_posix(): file
        for file in (ROOT / THUMBNAILS).glob("*/*.png")
    }
    assert sorted(files) == sorted(CONFIG.figures())
    assert sum(file.stat().st_size for file in files.values()) < MAX_BYTES
    for file in files.values():
        with Image.open(file) as image:
            assert image.width <= MAX_WIDTH_PX
            assert image.height <= MAX_HEIGHT_PX


def test_failures_are_in_section_of_figure():
    figure, claims = next((name, claims) for name, claims in CONFIG.papers["max_margin"].claims.items() if claims)
    row = {"paper": "max_margin", "figure": figure, "claim": claims[0].name, "says": "It holds", "source": "Section 1",
           "basis": "paper", "expected": "<= 1", "measured": "2", "verdict": "fails"}  # fmt: skip
    page = render_overview(CONFIG, [row, row | {"verdict": "holds", "claim": "other"}])
    (section,) = [section for section in page.split("\n### ") if FAILURE in section]
    assert section.startswith(f"max_margin/{figure}\n")
    assert f"`{claims[0].name}`. It holds. Expected: \\<= 1. Measured: 2. Basis: `paper`, Section 1." in section
    assert "`other`" not in section
    assert remove_failures(page) == render_overview(CONFIG, [])


def test_texts_are_escaped_for_markdown():
    assert escape_markdown("a < b, [50, 100],\np* of $x_1$") == r"a \< b, \[50, 100\], p\* of $x_1$"


def test_images_are_shrunk_but_never_enlarged(tmp_path):
    for size, expected in {(1440, 400): (720, 200), (600, 1200): (270, 540), (300, 200): (300, 200)}.items():
        Image.new("RGB", size, "white").save(tmp_path / "a.png")
        with Image.open(io.BytesIO(shrink(tmp_path / "a.png"))) as small:
            assert small.size == expected


def test_thumbnails_are_those_of_a_complete_folder_of_figures(tmp_path, pictures):
    small = tmp_path / "small"
    with pytest.raises(FileNotFoundError, match="missing"):
        write_thumbnails(["a/one", "a/missing"], pictures, small)
    assert not small.exists()
    write_thumbnails(["a/one", "a/two", "b/one"], pictures, small)
    write_thumbnails(["a/two", "b/one"], pictures, small)
    assert {file.relative_to(small).as_posix() for file in small.rglob("*.png")} == {"a/two.png", "b/one.png"}
