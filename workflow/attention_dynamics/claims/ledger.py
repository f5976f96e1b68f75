"""The claims of all figures in one table, for programs (CSV) and for people (Markdown)."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from attention_dynamics.claims.certificates import ABOUT, format_error
from attention_dynamics.claims.claim_summary import ClaimSummary
from attention_dynamics.claims.judge import ESTIMATE_COLUMNS
from attention_dynamics.claims.verdict import Verdict
from attention_dynamics.csv_table import csv_table
from attention_dynamics.markdown_table import markdown_table, plain_text
from attention_dynamics.store import DamagedFile

COLUMNS = [
    "paper", "figure", "claim", "says", "source", "basis", "expected", "measured", "verdict", "scale", "fidelity",
    *ESTIMATE_COLUMNS, "statement", "setting", "decided_by",
]  # fmt: skip


def to_csv(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return a CSV file with one line per claim and the columns COLUMNS."""
    return csv_table(pd.DataFrame(rows, columns=COLUMNS))


def read_ledger(file: Path) -> pd.DataFrame:
    """Return the table that ``to_csv`` wrote, every cell as a text.

    Raises FileNotFoundError if the file is missing, and DamagedFile if it cannot be read or lacks one of COLUMNS.
    """
    try:
        table = pd.read_csv(file, dtype=str, keep_default_na=False)
    except FileNotFoundError:
        raise FileNotFoundError(f"{file}: there is none yet; run `make figures` first") from None
    except (OSError, ValueError) as error:
        raise DamagedFile(file, f"it cannot be read ({' '.join(str(error).split())})") from None
    if missing := [name for name in COLUMNS if name not in table]:
        raise DamagedFile(file, f"it has no column {', '.join(missing)}")
    return table


def to_markdown(rows: Iterable[Mapping[str, Any]], certificates: pd.DataFrame) -> str:
    """Return a page: the number of claims that hold, a table per figure (``table_of``), and the certificates.

    rows: the rows of ``judge.judge``, with "paper", "figure", "scale" and "fidelity" in addition. certificates: see
    ``certificates.summarize``.
    """
    rows = list(rows)
    summary = ClaimSummary.of(rows)
    lines = [
        "# Claims",
        "",
        f"{summary.held} of {summary.judged} judged claims hold, {summary.undecided} are undecided.",
        "",
        "Basis: `paper`, the paper says it; `authors_code`, the published code shows it; `derived`, it follows by",
        "mathematics from the definitions, as do the numbers of independent computations; `chosen`, the threshold is",
        "ours. Fidelity says how close the figure is to the one in the paper. Intervals have 95 %",
        "confidence; those of shares are Wilson intervals.",
        "",
        "[statements.md](statements.md) says what the claims decide about the statements of the papers.",
    ]
    for figure in dict.fromkeys((row["paper"], row["figure"]) for row in rows):
        mine = [row for row in rows if (row["paper"], row["figure"]) == figure]
        lines += ["", f"## {'/'.join(figure)} ({mine[0]['fidelity']}, {mine[0]['scale']} scale)", "", *table_of(mine)]
    return "\n".join([*lines, *_certificates(certificates)]) + "\n"


def table_of(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the lines of a table of claims, then a line for each claim that fails or is undecided.

    The line of a failed claim has its explanation. The line of an undecided claim says what would decide it.
    """
    columns, rows = ["claim", "says", "source", "basis", "expected", "measured", "interval"], list(rows)
    cells = [[*(plain_text(row[name]) for name in columns), row["verdict"]] for row in rows]
    failed = [
        f"\n{plain_text(row['claim'])} fails: {plain_text(row['explanation'] or 'not explained yet.')}"
        for row in rows
        if row["verdict"] == Verdict.FAILS
    ]
    undecided = [
        f"\n{plain_text(row['claim'])} is undecided; {plain_text(row['decided_by'])}."
        for row in rows
        if row["verdict"] == Verdict.UNDECIDED
    ]
    return markdown_table([*columns, "verdict"], cells) + failed + undecided


def _certificates(table: pd.DataFrame) -> list[str]:
    if table.empty:
        return []
    head = [
        "paper", "kind", "solutions", "infeasible", "certified", "largest gap", "largest residual", "of infeasible",
    ]  # fmt: skip
    rows = [
        [row.paper, f"`{row.kind}`", row.solutions, row.infeasible, row.certified,
         *map(format_error, (row.gap, row.residual, row.infeasibility))]
        for row in table.itertuples()
    ]  # fmt: skip
    return ["", "## Max-margin programs", "", ABOUT, "", *markdown_table(head, rows)]
