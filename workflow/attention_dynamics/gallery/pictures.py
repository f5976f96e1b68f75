"""Sizes and thumbnails of pictures without their header. The pages show the texts of the header as HTML."""

import re
from io import BytesIO
from pathlib import Path

from PIL import Image

# Largest size of a thumbnail in pixels, and its WebP quality.
MAX_SIZE_PX, QUALITY = (512, 384), 70
# Matches the size of the page, in points, in PDF files of Matplotlib.
PAGE = re.compile(rb"/MediaBox \[ 0 0 ([0-9.]+) ([0-9.]+) \]")


def page_size(file: Path) -> tuple[float, float]:
    """Return width and height of a PDF file of a figure, in points. Raises ValueError if it does not state them."""
    if page := PAGE.search(file.read_bytes()):
        return float(page[1]), float(page[2])
    raise ValueError(f"{file}: no size in it")


def size_without_header(picture: Path) -> tuple[int, int]:
    """Return width and height, in pixels, of the part below the header of a figure's PNG file.

    The height follows from the PDF file beside it, which has no header.
    """
    width, height = page_size(picture.with_suffix(".pdf"))
    with Image.open(picture) as image:
        return image.width, min(image.height, round(image.width * height / width))


def thumbnail(picture: Path) -> bytes:
    """Return a small copy of the PNG file of a figure, without its header, as WebP."""
    width, height = size_without_header(picture)
    with Image.open(picture) as image:
        small = image.convert("RGB").crop((0, image.height - height, width, image.height))
    small.thumbnail(MAX_SIZE_PX, Image.Resampling.LANCZOS, reducing_gap=2.0)
    out = BytesIO()
    small.save(out, "webp", quality=QUALITY)
    return out.getvalue()
