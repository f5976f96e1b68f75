"""A gallery of the whole configuration with blank pictures and claims that are hard to show."""

from io import BytesIO
from pathlib import Path
from typing import Any

import pandas as pd
from PIL import Image

from attention_dynamics.claims.certificates import COLUMNS
from attention_dynamics.claims.statements import Outcome, load_statements
from attention_dynamics.gallery.pages import render
from attention_dynamics.gallery.pictures import thumbnail
from attention_dynamics.pipeline.jobs import Jobs
from conftest import ROOT
from helpers.published_config import published_config

TEMPLATES = ROOT / "workflow/attention_dynamics/gallery/templates"
CONFIG = published_config()
SPEC = Jobs(CONFIG).get("gallery").spec
CERTIFICATES = pd.DataFrame(
    [
        ["max_margin", "attention_svm", 5, 2, 6, 3e-16, 2e-8, 4e-16],
        ["fast_rates", "label_svm", 1, 0, 1, 0.0, 1e-15, None],
    ],
    columns=COLUMNS,
)
LONG = "0.123456 " * 40 + "unbroken" * 40


def png(width: int, height: int) -> bytes:
    """Return a white grayscale picture."""
    content = BytesIO()
    Image.new("L", (width, height), "white").save(content, "png")
    return content.getvalue()


def claim(figure: str, verdict: str, **texts: Any) -> dict[str, Any]:
    """Return a claim as it is stored. figure: <paper>/<figure>."""
    paper, name = figure.split("/")
    row = {"paper": paper, "figure": name, "claim": "a_claim", "says": "It grows", "source": "Theorem 1",
           "basis": "paper", "expected": ">= 1", "measured": "2", "interval": "", "verdict": verdict,
           "explanation": None, "fidelity": "exact", "scale": "laptop", "published": False, "statement": "",
           "decided_by": ""}  # fmt: skip
    return row | texts


def claims() -> list[dict[str, Any]]:
    """Of every figure all three verdicts, of every third none that failed, of every fifth no claim."""
    rows = []
    for number, figure in enumerate(CONFIG.figures()):
        if number % 5:
            rows += [claim(figure, "holds"), claim(figure, "reported", claim="b", measured=LONG, interval="[1, 2]")]
            rows += [claim(figure, "undecided", claim="u", decided_by="about 100 seeds", interval="[1, 2] " * 8)]
            if number % 3:
                text = {"says": "<b>A & \"B\"</b> 'fell'", "explanation": f"`of_code` {LONG}"}
                rows += [claim(figure, "fails", claim="c[1 2]", expected="1 2 +- 1e-08", measured="1 2.5", **text)]
    return rows


def statements() -> list[dict[str, str]]:
    """Return statements of the configured papers, with every outcome in turn."""
    listed = [one for paper in CONFIG.papers for one in load_statements(paper)]
    texts = {"setting": "paper", "measured": "holds: 1, expected >= 0", "explanation": f"`of_code` {LONG}",
             "real_data": ""}  # fmt: skip
    return [vars(one) | texts | {"verdict": [*Outcome][k % len(Outcome)].value} for k, one in enumerate(listed)]


def write_pages(root: Path) -> Path:
    """Write the pages and everything that they link to; returns the folder figures/."""
    figures = root / "figures"
    for number, figure in enumerate(CONFIG.figures()):
        (figures / figure).parent.mkdir(parents=True, exist_ok=True)
        width, height = 400 + 300 * (number % 7), 300 + 500 * (number % 2)
        (figures / f"{figure}.png").write_bytes(png(width, height))
        # The picture for print has no header.
        (figures / f"{figure}.pdf").write_text(f"/MediaBox [ 0 0 {width / 4} {(height - 100) / 4} ]")
        (figures / f"{figure}.small.webp").write_bytes(thumbnail(figures / f"{figure}.png"))
        for form in ("svg", "caption.md", "csv", *(("md",) if figure in CONFIG.tables() else ())):
            (figures / f"{figure}.{form}").write_text("")
        (figures / f"{figure}.record.png").write_bytes(png(width, height))
    for file in (
        "claims.csv", "statements.csv", "statements.md", "certificates.csv", "manifest.csv", "explore.html",
    ):  # fmt: skip
        (figures / file).write_text("")
    for name, text in render(TEMPLATES, SPEC, claims(), statements(), CERTIFICATES, figures).items():
        (figures / f"{name}.html").write_text(text)
    return figures
