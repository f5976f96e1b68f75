"""Counts of the verdicts on claims, and their summary in one line."""

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attention_dynamics.claims.verdict import Verdict

Row = Mapping[str, Any]


@dataclass(frozen=True)
class ClaimSummary:
    """Summary of the verdicts on some claims.

    held: how many hold. failed: the rows of the claims that fail. undecided: how many are undecided or compatible.
    reported: how many are reported without judgment. not_tested: how many have the verdict NOT_TESTED (``Verdict``).
    """

    held: int
    failed: Sequence[Row]
    undecided: int
    reported: int
    not_tested: int

    @classmethod
    def of(cls, rows: Sequence[Row]) -> "ClaimSummary":
        """Return the summary of claims. rows: a mapping for each claim, with at least "verdict" and "says"."""
        counts = Counter(row["verdict"] for row in rows)
        failed = [row for row in rows if row["verdict"] == Verdict.FAILS]
        undecided = counts[Verdict.UNDECIDED] + counts[Verdict.COMPATIBLE]
        return cls(counts[Verdict.HOLDS], failed, undecided, counts[Verdict.REPORTED], counts[Verdict.NOT_TESTED])

    @property
    def judged(self) -> int:
        """Number of claims that hold, fail, or are undecided or compatible."""
        return self.held + len(self.failed) + self.undecided

    @property
    def verdict(self) -> str:
        """Joint verdict: FAILS if a claim fails, else UNDECIDED if one is undecided or compatible, else HOLDS.

        NOT_TESTED if no claim was judged.
        """
        if self.failed:
            return Verdict.FAILS
        if self.undecided:
            return Verdict.UNDECIDED
        return Verdict.HOLDS if self.held else Verdict.NOT_TESTED

    @property
    def text(self) -> str:
        """One line: how many claims hold, are undecided and fail; if a single claim fails, what it says."""
        if not self.judged:
            return "nothing judged"
        if self.held == self.judged:
            return "the only claim holds" if self.held == 1 else f"all {self.held} claims hold"
        if self.judged == 1:
            return f"the only claim fails: {self.failed[0]['says']}" if self.failed else "the only claim is undecided"
        counts = f"{self.held} of {self.judged} claims {'holds' if self.held == 1 else 'hold'}"
        if self.undecided:
            counts += f", {self.undecided} {'is' if self.undecided == 1 else 'are'} undecided"
        if len(self.failed) == 1:
            return f"{counts}; fails: {self.failed[0]['says']}"
        return f"{counts}; {len(self.failed)} fail" if self.failed else counts


def format_summary(ledger: Path, page: Path) -> str:
    """Return the line for the terminal at the end of a run of Snakemake.

    It has the numbers of claims that hold, are undecided and fail, and the page to open. If the ledger cannot be read,
    it says so. ledger: path of claims.csv; claims.md is in the same folder. page: path of the gallery's start page.
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
    undecided = f", {summary.undecided} are undecided" if summary.undecided else ""
    return f"{summary.held} of {summary.judged} judged claims hold{undecided}{failed}. Open {page} in a browser."
