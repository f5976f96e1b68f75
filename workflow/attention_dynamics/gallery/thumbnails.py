"""Small copies of all figures, for docs/figures.md: ``python -m attention_dynamics.gallery.thumbnails``."""

import io
from collections.abc import Iterable
from pathlib import Path

from PIL import Image

from attention_dynamics.config.errors import exit_in_one_line
from attention_dynamics.config.load import load_config
from attention_dynamics.store import write

FOLDER = Path("docs") / "thumbnails"
# In pixels.
MAX_WIDTH_PX, MAX_HEIGHT_PX = 720, 540
# With fewer colors, different lines get the same one.
PALETTE_COLORS = 256


def shrink(picture: Path) -> bytes:
    """Return a picture as a PNG file of at most MAX_WIDTH_PX x MAX_HEIGHT_PX pixels and PALETTE_COLORS colors."""
    with Image.open(picture) as image:
        small = image.convert("RGB")
    small.thumbnail((MAX_WIDTH_PX, MAX_HEIGHT_PX), Image.Resampling.LANCZOS)
    out = io.BytesIO()
    small.quantize(PALETTE_COLORS, dither=Image.Dither.NONE).save(out, "png", optimize=True)
    return out.getvalue()


def write_thumbnails(names: Iterable[str], figures: Path, folder: Path) -> None:
    """Write <folder>/<paper>/<figure>.png for every figure, and delete the thumbnails of figures that are gone.

    names: "<paper>/<figure>". figures: the folder with the complete pictures.
    Raises FileNotFoundError where a picture is missing; nothing is written then.
    """
    thumbnails = {folder / f"{name}.png": shrink(figures / f"{name}.png") for name in names}
    for file, content in thumbnails.items():
        write(file, content)
    for file in set(folder.glob("*/*.png")) - thumbnails.keys():
        file.unlink()


if __name__ == "__main__":
    with exit_in_one_line():
        papers = load_config(Path("config"), {}).papers
        write_thumbnails(
            [f"{paper}/{name}" for paper, it in papers.items() for name in it.figures], Path("figures"), FOLDER
        )
