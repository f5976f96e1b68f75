"""Counts of the verdicts on claims, and their summary in one line."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Row = Mapping[str, Any]


@dataclass(frozen=True)
class ClaimSummary:
    """Summary of the verdicts on some claims.

    held: how many hold. failed: the rows of those that fail. reported: how many are reported without a verdict.
    not_judged: how many do not apply to this scale or these data.
    """

    held: int
    failed: Sequence[Row]
    reported: int
    not_judged: int

    @classmethod
    def of(cls, rows: Sequence[Row]) -> "ClaimSummary":
        """Return the summary of claims. rows: with the keys "verdict" and "says"."""
        verdicts = [row["verdict"] for row in rows]
        failed = [row for row in rows if row["verdict"] == "failed"]
        return cls(verdicts.count("held"), failed, verdicts.count("reported"), verdicts.count("not_judged"))

    @property
    def judged(self) -> int:
        """Number of claims with a verdict."""
        return self.held + len(self.failed)

    @property
    def verdict(self) -> str:
        """Verdict on all of them: "failed" if one fails, else "held", or "not_judged"."""
        if self.failed:
            return "failed"
        return "held" if self.held else "not_judged"

    @property
    def text(self) -> str:
        """One line: how many claims hold, and the statement of the claim that fails if there is only one."""
        if not self.judged:
            return "nothing judged"
        if not self.failed:
            return "the only claim holds" if self.held == 1 else f"all {self.held} claims hold"
        if self.judged == 1:
            return f"the only claim fails: {self.failed[0]['says']}"
        counts = f"{self.held} of {self.judged} claims {'holds' if self.held == 1 else 'hold'}"
        if len(self.failed) == 1:
            return f"{counts}; fails: {self.failed[0]['says']}"
        return f"{counts}; {len(self.failed)} fail"


def format_summary(ledger: Path, page: Path) -> str:
    """Return what a terminal shows in the end: how many claims hold and fail, and where to look.

    ledger: claims.csv, beside claims.md. page: of the gallery.
    """
    try:
        with ledger.open(newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            if "verdict" not in (reader.fieldnames or ()):
                raise ValueError("it has no column verdict")
            summary = ClaimSummary.of(list(reader))
    except (OSError, ValueError, csv.Error) as error:
        return f"{ledger} cannot be read ({error}). Delete it and run the same command again."
    failed = f", {len(summary.failed)} fail ({ledger.with_suffix('.md')} says why)" if summary.failed else ""
    return f"{summary.held} of {summary.judged} judged claims hold{failed}. Open {page} in a browser."
