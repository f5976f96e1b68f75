"""Digests of pictures see what a reader sees, and nothing finer."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from attention_dynamics.plots.style import paper_style
from helpers.picture_digest import describe_change, picture_digest


def digest(folder: Path, *, shift: float = 0.0, width: float = 3.4, color: str = "C0") -> tuple[int, int, str]:
    """Digest of a curve."""
    x = np.linspace(0, 1, 100)
    with paper_style():
        figure = Figure(figsize=(width, 2.4))
        axes = figure.subplots()
        axes.plot(x, x**2 + shift, color=color)
        axes.set(xlim=(0, 1), ylim=(0, 1.2))
        figure.savefig(folder / "figure.png")
    return picture_digest(folder / "figure.png")


def test_same_picture_has_no_change(tmp_path):
    assert describe_change(digest(tmp_path), digest(tmp_path)) == ""


def test_difference_below_a_pixel_is_no_change(tmp_path):
    assert describe_change(digest(tmp_path), digest(tmp_path, shift=1e-4)) == ""


@pytest.mark.parametrize("change", [{"shift": 0.05}, {"color": "C1"}, {"color": "white"}])
def test_moved_or_recolored_line_is_a_change(tmp_path, change):
    assert "cells have another shade" in describe_change(digest(tmp_path), digest(tmp_path, **change))


def test_place_of_change_is_named(tmp_path):
    white = (240, 160, "z" * 384)
    black_corner = (240, 160, "z" * 383 + "0")
    place = "1 of 384 cells have another shade, the most at 98% of its width and 97% of its height from the top"
    assert describe_change(white, black_corner) == place


def test_other_size_is_a_change(tmp_path):
    change = describe_change(digest(tmp_path), digest(tmp_path, width=6.8))
    assert "its size was" in change
