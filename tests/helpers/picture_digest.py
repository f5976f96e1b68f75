"""Digests of pictures: what a reader sees from afar, as a short text that a review shows line by line."""

import csv
from pathlib import Path

import numpy as np
from PIL import Image

FILE = Path(__file__).parents[1] / "baseline" / "figures.csv"
COLUMNS = ("figure", "width", "height", "shades")
# Cells across and down, each with the mean of its shades.
CELLS = (24, 16)
# A shade is one of 64, in the order of these characters; black comes first.
LEVELS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_"
# By how many of the 64 levels a cell may differ: a mean at the border of two levels may be rounded to either.
MAX_LEVEL_DIFFERENCE = 1


def picture_digest(file: Path) -> tuple[int, int, str]:
    """Return width, height and shades of a picture: a character for each cell, row by row."""
    with Image.open(file) as image:
        width, height = image.size
        cells = np.asarray(image.convert("L").resize(CELLS, Image.Resampling.BOX))
    return width, height, "".join(LEVELS[shade // 4] for shade in cells.ravel())


def describe_change(before: tuple[int, int, str], after: tuple[int, int, str]) -> str:
    """Return how the digests of two pictures differ; empty if they look alike."""
    if before[:2] != after[:2]:
        return "its size was {} x {} pixels and is {} x {}".format(*before[:2], *after[:2])
    old, new = (
        np.array([LEVELS.index(level) for level in digest[2]]).reshape(CELLS[::-1]) for digest in (before, after)
    )
    difference = np.abs(old - new)
    count = int((difference > MAX_LEVEL_DIFFERENCE).sum())
    if not count:
        return ""
    row, column = np.unravel_index(difference.argmax(), difference.shape)
    place = (
        f"at {(column + 0.5) / CELLS[0]:.0%} of its width and {(row + 0.5) / CELLS[1]:.0%} of its height from the top"
    )
    return f"{count} of {difference.size} cells have another shade, the most {place}"


def load_baseline() -> dict[str, tuple[int, int, str]]:
    """Return the digests of all figures by name."""
    with FILE.open(newline="") as lines:
        return {row["figure"]: (int(row["width"]), int(row["height"]), row["shades"]) for row in csv.DictReader(lines)}


def save_baseline(digests: dict[str, tuple[int, int, str]]) -> None:
    """Write the digests of all figures, in the order of their names."""
    with FILE.open("w", newline="") as lines:
        table = csv.writer(lines, lineterminator="\n")
        table.writerow(COLUMNS)
        table.writerows([figure, *digests[figure]] for figure in sorted(digests))
