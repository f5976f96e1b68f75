"""What the verdicts on claims come to, in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Finding:
    """What became of claims: how many held, the rows of those that failed, how many are reported without a verdict, and
    how many are not for this scale or these data.
    """

    held: int
    failed: Sequence[Row]
    reported: int
    not_judged: int

    @classmethod
    def of(cls, rows: Sequence[Row]) -> "Finding":
        """rows: claims with their "verdict", and what they say ("says")."""
        verdicts = [row["verdict"] for row in rows]
        failed = [row for row in rows if row["verdict"] == "failed"]
        return cls(verdicts.count("held"), failed, verdicts.count("reported"), verdicts.count("not_judged"))

    @property
    def judged(self) -> int:
        """How many have a verdict."""
        return self.held + len(self.failed)

    @property
    def verdict(self) -> str:
        """held, failed (one claim or more) or not_judged."""
        if self.failed:
            return "failed"
        return "held" if self.held else "not_judged"

    @property
    def text(self) -> str:
        """One line: how many claims hold, and what a single one that fails says."""
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
