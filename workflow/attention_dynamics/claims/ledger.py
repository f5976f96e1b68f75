"""The claims of all figures in one table, for programs (CSV) and for people (Markdown)."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from attention_dynamics.claims.finding import Finding

COLUMNS = [
    "paper", "figure", "claim", "says", "source", "basis", "expected", "measured", "verdict", "scale", "fidelity",
    "interval",
]  # fmt: skip
MARKS = {"held": "held", "failed": "**FAILED**", "reported": "reported", "not_judged": "not judged"}


def to_csv(rows: Iterable[Mapping[str, Any]]) -> str:
    """One line per claim, columns as in COLUMNS."""
    return pd.DataFrame(rows, columns=COLUMNS).to_csv(index=False, lineterminator="\n")


def read_ledger(file: Path) -> pd.DataFrame:
    """Return the table that ``to_csv`` wrote, every cell as a text."""
    return pd.read_csv(file, dtype=str, keep_default_na=False)


def to_markdown(rows: Iterable[Mapping[str, Any]]) -> str:
    """A page: the count, then one table per figure, failed claims with their explanations."""
    rows = list(rows)
    finding = Finding.of(rows)
    lines = [
        "# Claims",
        "",
        f"{finding.held} of {finding.judged} judged claims held.",
        "",
        "Basis: `paper`, the paper says it; `authors_code`, the published code shows it; `derived`, it follows from",
        "the definitions, by hand or by an independent computation; `chosen`, the threshold is ours. Fidelity says",
        "what the figure itself is. Intervals hold with 95 % confidence; shares have Wilson's.",
    ]
    for figure in dict.fromkeys((row["paper"], row["figure"]) for row in rows):
        mine = [row for row in rows if (row["paper"], row["figure"]) == figure]
        lines += ["", f"## {'/'.join(figure)} ({mine[0]['fidelity']}, {mine[0]['scale']} scale)", ""]
        lines += ["| claim | says | source | basis | expected | measured | interval | verdict |"]
        lines += ["|" + 8 * "---|"]
        for row in mine:
            cells = [row[name] for name in ("claim", "says", "source", "basis", "expected", "measured", "interval")]
            escaped = [str(cell).replace("|", "\\|").replace("\n", " ") for cell in cells]
            lines.append("| " + " | ".join([*escaped, MARKS[row["verdict"]]]) + " |")
        lines += [
            f"\n{row['claim']} failed: {row['explanation'] or 'not explained yet.'}"
            for row in mine
            if row["verdict"] == "failed"
        ]
    return "\n".join(lines) + "\n"
