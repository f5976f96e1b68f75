"""What the README shows of the figures: ``python -m attention_dynamics.gallery.preview``, after `make figures`.

That writes small copies of some of them to docs/previews, and the verdicts into README.md.
"""

import io
from pathlib import Path

import pandas as pd
from PIL import Image

from attention_dynamics.claims.finding import Finding
from attention_dynamics.store import write

SHOWN = (
    "max_margin/fig1b", "max_margin/fig9a", "fast_rates/fig2", "mirror_descent/fig_direction", "scan_and_snap/fig4",
    "scan_and_snap/fig7",
)  # fmt: skip
FOLDER = Path("docs") / "previews"
WIDTH, COLORS = 720, 256
BEGIN, END = "<!-- verdicts: make preview -->\n", "<!-- end of the verdicts -->"


def preview(figure: str) -> Path:
    """Where the small copy of <paper>/<figure> is."""
    return FOLDER / f"{figure.replace('/', '_')}.png"


def shrunken(picture: Path) -> bytes:
    """A PNG file as one of at most WIDTH pixels in width and COLORS colours."""
    with Image.open(picture) as image:
        width = min(WIDTH, image.width)
        small = image.convert("RGB").resize(
            (width, round(image.height * width / image.width)), Image.Resampling.LANCZOS
        )
    out = io.BytesIO()
    small.quantize(COLORS).save(out, "png", optimize=True)
    return out.getvalue()


def verdicts(claims: pd.DataFrame) -> str:
    """Markdown: for every paper how many of its claims held, failed, and are reported without a verdict.

    claims: figures/claims.csv.
    """
    lines = ["| paper | figures | claims held | failed | reported |", "|---|---|---|---|---|"]
    for paper, rows in claims.groupby("paper"):
        found, figures = Finding.of(rows.to_dict("records")), rows.figure.nunique()
        held = f"{found.held} of {found.judged}"
        lines.append(f"| `{paper}` | {figures} | {held} | {len(found.failed)} | {found.reported} |")
    return "\n".join(lines) + "\n"


def with_verdicts(page: str, table: str) -> str:
    """The README with its table replaced. Raises ValueError where it has no place for one."""
    before, found, rest = page.partition(BEGIN)
    _, ended, after = rest.partition(END)
    if not found or not ended:
        raise ValueError(f"README.md has no {BEGIN.strip()} ... {END}")
    return f"{before}{BEGIN}\n{table}\n{END}{after}"


if __name__ == "__main__":
    for shown in SHOWN:
        write(preview(shown), shrunken(Path("figures") / f"{shown}.png"))
    readme, ledger = Path("README.md"), pd.read_csv(Path("figures") / "claims.csv", keep_default_na=False)
    write(readme, with_verdicts(readme.read_text(), verdicts(ledger)).encode())
