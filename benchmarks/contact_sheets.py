"""Put the print renderings, or the web renderings, of all figures on pages at their size in print.

    python benchmarks/contact_sheets.py figures sheets [--web]    # sheets/print-1.png, ... or web-1.png, ...

Run it after `make figures`. Pages are A3 at 100 dots per inch, with a palette of 256 colors. PDF becomes pixels
with `pdftoppm` (Debian: poppler-utils) or, where that is missing, with the package pypdfium2; neither is needed
elsewhere, so that neither is in requirements.lock.
"""

import argparse
import io
import shutil
import subprocess
from pathlib import Path

from PIL import Image, ImageDraw

# The web's PNG files have as many dots per inch as plots.style says.
DPI, WEB_DPI = 100, 300
PAGE, MARGIN, GAP, CAPTION_HEIGHT = (1169, 1654), 26, 14, 12


def print_rendering(pdf: Path) -> Image.Image:
    """Return the first page of a PDF file at DPI."""
    if shutil.which("pdftoppm"):
        command = ["pdftoppm", "-png", "-r", str(DPI), "-singlefile", str(pdf)]
        return Image.open(io.BytesIO(subprocess.check_output(command)))  # noqa: S603
    import pypdfium2

    return pypdfium2.PdfDocument(pdf)[0].render(scale=DPI / 72).to_pil()


def web_rendering(png: Path) -> Image.Image:
    """Return a picture for the web, whose panels are as large as in print, at DPI."""
    image = Image.open(png).convert("RGB")
    return image.resize([round(side * DPI / WEB_DPI) for side in image.size], Image.Resampling.LANCZOS)


def pages(pictures: list[tuple[str, Image.Image]]) -> list[Image.Image]:
    """Return pages with named pictures in rows, in the given order."""
    sheets, x, y, row = [Image.new("RGB", PAGE, "white")], MARGIN, MARGIN, 0
    for name, picture in pictures:
        if x > MARGIN and x + picture.width > PAGE[0] - MARGIN:
            x, y, row = MARGIN, y + row + GAP, 0
        if y > MARGIN and y + CAPTION_HEIGHT + picture.height > PAGE[1] - MARGIN:
            sheets, x, y, row = [*sheets, Image.new("RGB", PAGE, "white")], MARGIN, MARGIN, 0
        ImageDraw.Draw(sheets[-1]).text((x, y), name, fill="gray")
        sheets[-1].paste(picture, (x, y + CAPTION_HEIGHT))
        x, row = x + picture.width + GAP, max(row, CAPTION_HEIGHT + picture.height)
    return sheets


def main() -> None:
    """Write the pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figures", type=Path, help="folder of a complete run")
    parser.add_argument("sheets", type=Path, help="folder for the pages")
    parser.add_argument("--web", action="store_true", help="the renderings for the web, with titles")
    args = parser.parse_args()
    kind, suffix, render = ("web", "png", web_rendering) if args.web else ("print", "pdf", print_rendering)
    files = sorted(args.figures.glob(f"*/*.{suffix}"))
    args.sheets.mkdir(parents=True, exist_ok=True)
    for number, page in enumerate(pages([(f"{file.parent.name}/{file.stem}", render(file)) for file in files]), 1):
        small = page.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
        small.save(args.sheets / f"{kind}-{number}.png", optimize=True)


if __name__ == "__main__":
    main()
