"""What the README shows of the figures."""

import io
import re

import pandas as pd
import pytest
from PIL import Image

from attention_dynamics.config.load import load_config
from attention_dynamics.gallery.preview import SHOWN, WIDTH, preview, shrunken, verdicts, with_verdicts
from conftest import ROOT

README = (ROOT / "README.md").read_text()


def test_the_readme_shows_each_preview_and_each_is_small():
    assert len(SHOWN) >= 6
    for figure in SHOWN:
        assert preview(figure).as_posix() in README
        with Image.open(ROOT / preview(figure)) as image:
            assert image.width <= WIDTH
    assert sum((ROOT / preview(figure)).stat().st_size for figure in SHOWN) < 500_000


def test_the_readmes_verdicts_are_about_the_claims_that_there_are():
    shown = {
        row[0]: tuple(map(int, row[1:]))
        for row in re.findall(r"\| `(\w+)` \| \d+ \| (\d+) of (\d+) \| (\d+) \| (\d+) \|", README)
    }
    config = load_config(ROOT / "config", {})
    assert shown.keys() == config.papers.keys()
    for paper, content in config.papers.items():
        here = [
            claim
            for claims in content.claims.values()
            for claim in claims
            if "laptop" in claim.scales and "embedded" in claim.data
        ]
        held, of, failed, reported = shown[paper]
        assert held + failed == of
        assert of + reported == len(here)


def test_verdicts_are_counted_by_paper():
    rows = [
        ("a", "f", "held"),
        ("a", "f", "failed"),
        ("a", "g", "reported"),
        ("a", "g", "not_judged"),
        ("b", "h", "held"),
    ]
    table = verdicts(pd.DataFrame(rows, columns=["paper", "figure", "verdict"]))
    assert "| `a` | 2 | 1 of 2 | 1 | 1 |" in table
    assert "| `b` | 1 | 1 of 1 | 0 | 0 |" in table


def test_the_table_takes_the_place_of_the_one_before():
    once = with_verdicts(README, "first\n")
    assert with_verdicts(once, "second\n") == once.replace("first\n", "second\n")
    with pytest.raises(ValueError, match="has no"):
        with_verdicts("nothing here", "table")


def test_a_picture_is_made_smaller_but_never_larger(tmp_path):
    for width, expected in ((1440, WIDTH), (300, 300)):
        Image.new("RGB", (width, 200), "white").save(tmp_path / "a.png")
        with Image.open(io.BytesIO(shrunken(tmp_path / "a.png"))) as small:
            assert small.size == (expected, round(200 * expected / width))
