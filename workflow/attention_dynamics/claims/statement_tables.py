"""The statements of all papers with their verdicts: a CSV file, a page, and the table of the README."""

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from attention_dynamics.claims.claim import split_ids
from attention_dynamics.claims.statements import OBSERVATION, THEOREM, Outcome, Statement, decide, load_statements
from attention_dynamics.claims.verdict import Verdict
from attention_dynamics.csv_table import csv_table
from attention_dynamics.markdown_table import markdown_table, plain_text

COLUMNS = [
    "paper", "id", "where", "kind", "says", "quote", "known_from", "verdict", "setting", "measured", "real_data",
    "explanation", "primary", "other_readings", "tests", "confirmed_by", "reason",
]  # fmt: skip
# Columns of the tables that count statements, one dict per kind: column heading -> the outcomes counted in the column.
OBSERVATIONS = {
    "supported": (Outcome.SUPPORTED,), "partly": (Outcome.PARTLY,), "contradicted": (Outcome.CONTRADICTED,),
    "depends on the reading": (Outcome.READINGS,), "undecided": (Outcome.UNDECIDED, Outcome.NOT_CONFIRMED),
    "agrees with our reconstruction": (Outcome.AGREES,),
    "disagrees with our reconstruction": (Outcome.DISAGREES,),
    "stand-in or real data only": (Outcome.STAND_IN, Outcome.REAL_DATA, Outcome.STAND_IN_AND_REAL_DATA),
    "checked by a test": (Outcome.TEST,), "not tested": (Outcome.NOT_TESTED,),
}  # fmt: skip
THEOREMS = {
    "no counterexample": (Outcome.NO_COUNTEREXAMPLE,), "counterexample": (Outcome.COUNTEREXAMPLE,),
    "depends on the reading": (Outcome.READINGS,), "undecided": (Outcome.UNDECIDED, Outcome.NOT_CONFIRMED),
    "agrees with our reconstruction": (Outcome.AGREES,),
    "disagrees with our reconstruction": (Outcome.DISAGREES,), "stand-in or real data only": (Outcome.STAND_IN,),
    "checked by a test": (Outcome.TEST,), "not tested": (Outcome.NOT_TESTED,),
}  # fmt: skip
KINDS = {OBSERVATION: OBSERVATIONS, THEOREM: THEOREMS}
# Paper -> the commit, made before the claims were computed, that fixed readings (interpretations of the statements),
# primary claims and sample sizes.
READINGS = {
    "max_margin": "f5fd060", "scan_and_snap": "e88f009", "mirror_descent": "64c79cb", "fast_rates": "64c79cb",
}  # fmt: skip
ABOUT = """# Statements of the papers

Sentences, theorems, captions and stored outputs of the papers, in our words, with the claims and tests that check them,
or the reason why none can. `figures/statements.md` has the verdicts after `make figures`, and [Fidelity](fidelity.md)
explains them. Generated from `papers/<paper>/statements.csv` in the library.
"""

Row = Mapping[str, Any]


def judge_statements(
    statements: Iterable[Statement], rows: Sequence[Row], recorded: Sequence[Row] = ()
) -> list[dict[str, Any]]:
    """Return a mapping for each statement, with its fields and the results.

    The results are "verdict", "setting", "measured", "real_data" (what the records say), "explanation" (why claims
    fail) and "claims" (the names of all claims about the paper).

    rows: the rows of ``judge.judge``, with "paper", "figure" and "setting" in addition. recorded: rows from records/,
    the stored results on real data; the "note" of a row says which record it is from.
    """
    judged = []
    for one in statements:
        mine = [row for row in rows if row["paper"] == one.paper]
        decision = decide(one, mine)
        on_real_data = list(_on_real_data(one, [row for row in recorded if row["paper"] == one.paper]))
        both = on_real_data and decision.verdict == Outcome.STAND_IN
        judged.append(
            vars(one)
            | {"verdict": Outcome.STAND_IN_AND_REAL_DATA if both else decision.verdict}
            | {"setting": decision.setting, "measured": decision.text, "real_data": "; ".join(on_real_data)}
            | {"explanation": " ".join(dict.fromkeys(_explanations(one, mine)))}
            | {"claims": {f"{row['figure']}/{row['claim']}" for row in mine}}
        )
    return judged


def _on_real_data(statement: Statement, rows: Sequence[Row]) -> Iterator[str]:
    """Yield a text for each record that has the primary claim of a statement on real data.

    The text has the result of this claim, the verdicts on other readings of the statement, and the note on the record.
    rows: rows of records of the statement's paper. Records are only reported; they never decide a statement.
    """
    for note in dict.fromkeys(row["note"] for row in rows):
        of_record = [row for row in rows if row["note"] == note]
        decision = decide(statement, of_record)
        if decision.verdict == Outcome.REAL_DATA:
            others = (row for row in of_record if f"{row['figure']}/{row['claim']}" in statement.readings)
            yield "; ".join([decision.text, *(f"{row['claim']} {row['verdict']}" for row in others)]) + f" ({note})"


def _explanations(statement: Statement, rows: Iterable[Row]) -> Iterator[str]:
    """Yield the explanations of the claims about a statement that fail as a whole or in one of their cases."""
    for row in rows:
        if statement.id in split_ids(row["statement"]) and Verdict.FAILS in (row["verdict"], *row["cases"].values()):
            yield from filter(None, [row["explanation"]])


def to_csv(judged: Iterable[Row]) -> str:
    """Return a CSV file with a line for every statement and the columns COLUMNS."""
    return csv_table(pd.DataFrame(judged, columns=COLUMNS))


def read_rows(file: Path) -> list[dict[str, str]]:
    """Return the rows of statements.csv or another CSV file in figures/, every cell as a text."""
    with file.open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def to_markdown(judged: Sequence[Row], titles: Mapping[str, str]) -> str:
    """Return a page: the tables of counts, and a table of statements for each paper. titles: paper -> its title."""
    about = "docs/fidelity.md explains the verdicts. Names of claims lead to the pages of their figures."
    lines = ["# Statements of the papers", "", about, "", *count_tables(judged)]
    for paper in dict.fromkeys(row["paper"] for row in judged):
        cells = [
            [
                row["id"],
                row["where"],
                *map(plain_text, (row["says"], row["verdict"], row["measured"], row["real_data"])),
                _linked(row),
            ]
            for row in judged
            if row["paper"] == paper
        ]
        head = ["id", "where", "statement", "verdict", "measured", "real data", "claims and tests"]
        lines += ["", f"## {titles[paper]}", ""]
        if commit := READINGS.get(paper):
            lines += [f"Readings, primary claims and sample sizes were fixed in commit `{commit}`.", ""]
        lines += markdown_table(head, cells)
    return "\n".join(lines) + "\n"


def column_of(statement: Row) -> str:
    """Return the heading of the column in KINDS that counts a statement; empty for a statement that is not judged."""
    heads = KINDS.get(statement["kind"], {})
    return next((head for head, verdicts in heads.items() if statement["verdict"] in verdicts), "")


def count_statements(judged: Sequence[Row], kind: str) -> tuple[list[str], dict[str, list[int]]]:
    """Return the headings of the columns that are not empty, and paper -> the counts in these columns.

    kind: only statements of this kind, a key of KINDS, are counted.
    """
    counts = Counter((row["paper"], column_of(row)) for row in judged if row["kind"] == kind)
    papers = dict.fromkeys(row["paper"] for row in judged)
    heads = [head for head in KINDS[kind] if any(counts[paper, head] for paper in papers)]
    return heads, {paper: [counts[paper, head] for head in heads] for paper in papers}


def count_tables(judged: Sequence[Row]) -> list[str]:
    """Return the lines of two Markdown tables, of observations and theorems, that count the verdicts in each paper."""
    lines: list[str] = []
    for kind in KINDS:
        heads, counts = count_statements(judged, kind)
        rows = [[f"`{paper}`", *(number or "" for number in numbers)] for paper, numbers in counts.items()]
        lines += ["", *markdown_table([f"{kind}s", *heads], rows)]
    return lines[1:]


def list_statements(titles: Mapping[str, str]) -> str:
    """Return a page of the documentation: all statements, with their places in the papers and what checks them."""
    lines = [ABOUT]
    for paper, title in titles.items():
        if listed := load_statements(paper):
            cells = [[one.where, *map(plain_text, (one.says, one.known_from, _evidence(vars(one))))] for one in listed]
            lines += [f"## {title}", "", *markdown_table(["where", "statement", "known from", "checked by"], cells), ""]
    return "\n".join(lines)


def _evidence(row: Row) -> str:
    return "; ".join(filter(None, [row["primary"], row["other_readings"], row["tests"], row["reason"]]))


def _linked(row: Row) -> str:
    """Return the text of ``_evidence`` as Markdown; each claim links to its line on the page of its figure."""
    parts = []
    for part in _evidence(row).split("; "):
        name, colon, words = part.partition(":")
        if name in row["claims"]:
            figure, claim = name.split("/")
            name = f"[{name}]({row['paper']}/{figure}.html#claim-{claim})"
        else:
            name = plain_text(name)
        parts.append(f"{name}{colon}{plain_text(words)}")
    return "; ".join(parts)
