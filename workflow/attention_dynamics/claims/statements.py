"""Statements of the papers, and what the claims about them decide.

papers/<paper>/statements.csv lists the sentences, theorems, captions and stored outputs of a paper; ``Statement``
describes its columns. A sentence is one statement, however many cells, seeds or panels it is about. docs/fidelity.md
has the rules.
"""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any

from attention_dynamics.choices import format_wrong_choice
from attention_dynamics.claims.claim import PAPER, Claim, split_ids
from attention_dynamics.claims.verdict import Verdict
from attention_dynamics.registry import PACKAGE

FILE = "statements.csv"
# Theorems include lemmas, propositions and corollaries. An observation is about results. A definition is not judged.
KINDS = THEOREM, OBSERVATION, DEFINITION = "theorem", "observation", "definition"
# Where a statement is known from. "text": our copy of the paper. "published": another version of it. "code": the
# authors' repository and its outputs. "summary": a summary by others, which is never judged as the paper's.
# "reconstructed": a form that we recalled or derived, because our copy has lost the paper's.
ORIGINS = TEXT, PUBLISHED, CODE, SUMMARY, RECONSTRUCTED = "text", "published", "code", "summary", "reconstructed"
# The setting of a claim follows from its figure. "paper": the paper's data and parameters. "declared": our parameters.
# "real data": the paper's data with another network or size. "stand-in": other data. At smoke scale, and if the
# configuration was changed, a claim has no setting.
SETTINGS = PAPER_SETTING, DECLARED, REAL_DATA, STAND_IN = "paper", "declared", "real data", "stand-in"

Row = Mapping[str, Any]


class Outcome(StrEnum):
    """Verdict on a statement; docs/fidelity.md explains each."""

    SUPPORTED = "supported"
    PARTLY = "partly"
    CONTRADICTED = "contradicted"
    READINGS = "depends on the reading"
    UNDECIDED = "undecided"
    NOT_CONFIRMED = "undecided (not confirmed)"
    AGREES = "agrees with our reconstruction"
    DISAGREES = "disagrees with our reconstruction"
    REAL_DATA = "real data only"
    STAND_IN = "stand-in only"
    STAND_IN_AND_REAL_DATA = "stand-in and real data"
    NO_COUNTEREXAMPLE = "no counterexample"
    COUNTEREXAMPLE = "counterexample"
    TEST = "checked by a test"
    NOT_TESTED = "not tested"
    NOT_JUDGED = "not judged"


# Verdicts that a reader should see first. No title of a figure may assert a statement that has one of these verdicts.
DOUBTED = (
    Outcome.CONTRADICTED, Outcome.COUNTEREXAMPLE, Outcome.PARTLY, Outcome.READINGS, Outcome.DISAGREES,
    Outcome.NOT_CONFIRMED,
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Statement:
    """A row of a file of statements. The columns of the file are the fields after ``paper``.

    where: its place in the paper. kind: one of KINDS. says: the statement in our words. quote: at most 25 words of the
    paper. known_from: one of ORIGINS. primary: the claim, "<figure>/<claim>", that measures the sentence as a whole.
    tests: names of tests that check it, joined by semicolons. confirmed_by: file of an independent computation or
    record which confirms that the paper is contradicted. other_readings: claims that interpret the sentence in another
    way, each as "<figure>/<claim>: <the words on which this interpretation rests>", joined by semicolons; or the reason
    why there are none. reason: why the statement is not tested.
    """

    paper: str
    id: str
    where: str
    kind: str
    says: str
    quote: str
    known_from: str
    primary: str
    tests: str
    confirmed_by: str
    other_readings: str
    reason: str

    @property
    def readings(self) -> list[str]:
        """Names of the claims in ``other_readings``, "<figure>/<claim>"."""
        parts = (part.partition(":")[0].strip() for part in self.other_readings.split(";"))
        return [part for part in parts if "/" in part]

    @property
    def confirmed(self) -> bool:
        """True if a contradiction to the paper counts: it was confirmed, and other interpretations were considered."""
        return bool(self.confirmed_by and self.other_readings)


COLUMNS = [one.name for one in fields(Statement)][1:]


@dataclass(frozen=True)
class Decision:
    """Verdict on a statement, with a line of text on what was measured.

    setting: the setting (see SETTINGS) of the primary claim or, for a theorem, of the first claim that counts.
    """

    verdict: Outcome
    setting: str = ""
    text: str = ""


def load_statements(paper: str) -> list[Statement]:
    """Return the statements of a paper; none if it has no file. Raises ValueError, with the line, for a wrong row."""
    file = PACKAGE / "papers" / paper / FILE
    if not file.exists():
        return []
    with file.open(newline="", encoding="utf-8") as lines:
        reader = csv.DictReader(lines)
        if reader.fieldnames != COLUMNS:
            raise ValueError(
                f"{file}: has the columns {', '.join(reader.fieldnames or [])}, expected {', '.join(COLUMNS)}"
            )
        found: dict[str, Statement] = {}
        for row in reader:
            place = f"{file}:{reader.line_num}"
            if None in row or None in row.values():
                raise ValueError(f"{place}: has not as many cells as columns")
            one = Statement(paper=paper, **row)
            _check(one, place)
            if one.id in found:
                raise ValueError(f"{place}: id {one.id} stands in an earlier line, too")
            found[one.id] = one
    return list(found.values())


def _check(one: Statement, place: str) -> None:
    """Raise ValueError for a statement with an error. place: file and line, for the message.

    Errors are an unknown kind or origin; an empty id, where or says; and a quote of more than 25 words.
    """
    for column, allowed in (("kind", KINDS), ("known_from", ORIGINS)):
        if (given := getattr(one, column)) not in allowed:
            raise ValueError(f"{place}: {column} {format_wrong_choice(given, allowed)}")
    for column in ("id", "where", "says"):
        if not getattr(one, column):
            raise ValueError(f"{place}: {column} is empty")
    if len(one.quote.split()) > 25:
        raise ValueError(f"{place}: the quote has {len(one.quote.split())} words, at most 25 are allowed")


def check_claims(statements: Sequence[Statement], claims: Mapping[str, Claim]) -> Iterator[str]:
    """Yield a message for each error in the references between the statements of a paper and the claims about it.

    Errors: a name that does not exist; a primary claim or other reading that does not name the statement; a claim with
    basis "paper" on a statement known from a summary by others; a statement without claim, test and reason, unless it
    is a definition; an observation with claims of which none is primary.
    claims: "<figure>/<claim>" -> claim, for all claims about the paper.
    """
    known = {one.id: one for one in statements}
    for name, claim in claims.items():
        for id in claim.statements:
            if id not in known:
                yield f"claim {name}: statement {format_wrong_choice(id, sorted(known))}"
            elif claim.basis == PAPER and known[id].known_from == SUMMARY:
                yield f"claim {name}: {id} is known from a summary by others, so its basis cannot be {PAPER}"
    used = {id for claim in claims.values() for id in claim.statements}
    for one in statements:
        for name in filter(None, [one.primary, *one.readings]):
            if name not in claims:
                yield f"statement {one.id}: claim {format_wrong_choice(name, sorted(claims))}"
            elif one.id not in claims[name].statements:
                yield f"statement {one.id}: its claim {name} names statement {claims[name].statement or 'none'}"
        if one.kind != DEFINITION and not (one.id in used or one.tests or one.reason):
            yield f"statement {one.id}: has neither a claim nor a test, nor a reason why not"
        if one.kind == OBSERVATION and one.id in used and not one.primary:
            yield f"statement {one.id}: has claims, but none is primary"


def decide(statement: Statement, rows: Iterable[Row]) -> Decision:
    """Return the verdict on a statement by the claims about it.

    rows: the rows of ``judge.judge`` for the claims about its paper, with "figure" and "setting" in addition.
    """
    mine = {f"{row['figure']}/{row['claim']}": row for row in rows if statement.id in split_ids(row["statement"])}
    if statement.kind == DEFINITION or statement.known_from == SUMMARY:
        return Decision(Outcome.NOT_JUDGED)
    tested = {name: row for name, row in mine.items() if row["verdict"] != Verdict.NOT_TESTED and row["setting"]}
    if not tested:
        return Decision(Outcome.TEST if statement.tests else Outcome.NOT_TESTED)
    return (_decide_theorem if statement.kind == THEOREM else _decide_observation)(statement, tested)


def _decide_theorem(statement: Statement, rows: Mapping[str, Row]) -> Decision:
    # Theorems are about the papers' models, so claims about networks trained on texts or images do not count.
    rows = {name: row for name, row in rows.items() if row["setting"] not in (REAL_DATA, STAND_IN)}
    if not rows:
        return Decision(Outcome.STAND_IN)
    verdicts = [row["verdict"] for row in rows.values()]
    if set(verdicts) == {Verdict.REPORTED}:
        return Decision(Outcome.NOT_TESTED)
    failing = [name for name, row in rows.items() if row["verdict"] == Verdict.FAILS]
    setting = next(iter(rows.values()))["setting"]
    text = f"{verdicts.count(Verdict.HOLDS)} of {len(rows)} checks hold"
    text += f"; fails: {', '.join(failing)}" if failing else ""
    if failing and any(rows[name]["verdict"] == Verdict.HOLDS for name in statement.readings if name in rows):
        return Decision(Outcome.READINGS, setting, text)
    if statement.known_from == RECONSTRUCTED:
        decided = Outcome.DISAGREES if failing else Outcome.AGREES
        return Decision(decided if failing or Verdict.HOLDS in verdicts else Outcome.UNDECIDED, setting, text)
    if failing:
        return Decision(Outcome.COUNTEREXAMPLE if statement.confirmed else Outcome.NOT_CONFIRMED, setting, text)
    return Decision(Outcome.NO_COUNTEREXAMPLE if Verdict.HOLDS in verdicts else Outcome.UNDECIDED, setting, text)


def _decide_observation(statement: Statement, rows: Mapping[str, Row]) -> Decision:
    primary = rows.get(statement.primary)
    if primary is None:
        return Decision(Outcome.TEST if statement.tests else Outcome.NOT_TESTED)
    verdict, setting = primary["verdict"], primary["setting"]
    others = [rows[name]["verdict"] for name in statement.readings if name in rows]
    cases = set(primary["cases"].values())
    text = f"{verdict}: {primary['measured']}, expected {primary['expected']}"

    if setting in (REAL_DATA, STAND_IN):
        return Decision(Outcome.REAL_DATA if setting == REAL_DATA else Outcome.STAND_IN, setting, text)
    if {Verdict.HOLDS, Verdict.FAILS} <= {verdict, *others}:
        return Decision(Outcome.READINGS, setting, text)
    if statement.known_from == RECONSTRUCTED and verdict in (Verdict.HOLDS, Verdict.FAILS):
        return Decision(Outcome.AGREES if verdict == Verdict.HOLDS else Outcome.DISAGREES, setting, text)
    if Verdict.FAILS in cases and (verdict == Verdict.HOLDS or Verdict.HOLDS in cases):
        return Decision(Outcome.PARTLY if statement.confirmed else Outcome.NOT_CONFIRMED, setting, text)
    if verdict == Verdict.HOLDS:
        return Decision(Outcome.SUPPORTED, setting, text)
    if verdict == Verdict.FAILS and all(one == Verdict.FAILS for one in others):
        return Decision(Outcome.CONTRADICTED if statement.confirmed else Outcome.NOT_CONFIRMED, setting, text)
    return Decision(Outcome.UNDECIDED, setting, "; ".join(filter(None, [text, primary["decided_by"]])))
