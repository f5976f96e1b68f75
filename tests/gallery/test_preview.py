"""The README's results."""

import re
from collections import Counter

import pandas as pd
import pytest

from attention_dynamics.gallery.preview import BEGIN, END, FAILURE, PAGE, insert_results, results
from conftest import ROOT
from helpers.published_config import published_config

README = (ROOT / "README.md").read_text()
COLUMNS = ["paper", "figure", "claim", "fidelity", "basis", "verdict"]
ROWS = [
    ("a", "f", "one", "exact", "paper", "held"),
    ("a", "f", "two", "exact", "paper", "failed"),
    ("a", "f", "three", "exact", "chosen", "held"),
    ("a", "g", "four", "exact", "chosen", "reported"),
    ("a", "g", "five", "exact", "chosen", "not_judged"),
    ("a", "g", "code", "exact", "authors_code", "held"),
    ("a", "f", "ours", "exact", "chosen", "failed"),
    ("a", "g", "more", "exact", "chosen", "failed"),
    ("b", "h", "six", "extension", "chosen", "failed"),
    ("b", "h", "seven", "extension", "paper", "failed"),
]


def test_readme_counts_claims_of_configuration():
    """Compare, for every fidelity, the claims that are judged or reported at laptop scale."""
    shown = {}
    for row in re.findall(r"^\| `([\w-]+)` \|(.*)\|$", README.partition(BEGIN)[2].partition(END)[0], re.MULTILINE):
        *judged, reported = row[1].split("|")
        shown[row[0]] = int(reported.strip() or 0) + sum(
            int(of) for cell in judged for of in re.findall(r"of (\d+)", cell)
        )
    there_are = Counter(
        paper.figures[figure].fidelity
        for paper in published_config().papers.values()
        for figure, claims in paper.claims.items()
        for claim in claims
        if "laptop" in claim.scales and "embedded" in claim.data
    )
    assert shown == there_are


def test_readme_links_every_failure_to_its_explanation():
    table = README.partition(BEGIN)[2].partition(END)[0]
    rows = "".join(line for line in table.splitlines() if line.startswith("|"))
    counts = [(int(held), int(of)) for held, of in re.findall(r"(\d+) of (\d+)", rows)]
    listed: dict[str, list[str]] = {}
    for paper, links in re.findall(r"^- `(\w+)`: (.*)$", table, re.MULTILINE):
        for figure, target, ids in re.findall(r"\[(\w+)\]\((.*?)\) ([^;]*)", links):
            assert target == f"docs/figures.md#{paper}{figure}"
            listed.setdefault(f"{paper}/{figure}", []).extend(re.findall("`([^`]+)`", ids))
    assert sum(map(len, listed.values())) == sum(of - held for held, of in counts)
    sections = (ROOT / PAGE).read_text().split("\n### ")[1:]
    explained = {
        section.partition("\n")[0]: re.findall(rf"^{re.escape(FAILURE)}`([^`]+)`", section, re.MULTILINE)
        for section in sections
    }
    assert {figure: sorted(ids) for figure, ids in listed.items()} == {
        figure: sorted(ids) for figure, ids in explained.items() if ids
    }
    assert "Not explained yet" not in (ROOT / PAGE).read_text()


def test_results_begin_with_the_papers_own_claims_on_their_own_figures():
    lines = results(pd.DataFrame(ROWS, columns=COLUMNS)).splitlines()
    assert lines == [
        "Of the claims that the papers make about their own figures (basis `paper`), **1 of 2** hold;",
        "of those that the authors' code and its outputs make (`authors_code`), **1 of 1**.",
        "",
        "These fail; each link leads to the explanation:",
        "",
        "- `a`: [f](docs/figures.md#af) `two`",
        "",
        "All claims, by fidelity and basis (a reported quantity is shown, but not judged):",
        "",
        "| fidelity | `paper` | `authors_code` | `chosen` | reported |",
        "|---|---|---|---|---|",
        "| `exact` | **1 of 2** | 1 of 1 | **1 of 3** | 1 |",
        "| `extension` | **0 of 1** |  | **0 of 1** |  |",
        "",
        "Of our own claims, and of the claims about our extensions, these fail:",
        "",
        "- `a`: [f](docs/figures.md#af) `ours`; [g](docs/figures.md#ag) `more`",
        "- `b`: [h](docs/figures.md#bh) `six`, `seven`",
    ]


def test_results_without_failures_list_none():
    page = results(pd.DataFrame(ROWS[:1], columns=COLUMNS))
    assert "fail" not in page
    assert page.endswith("| `exact` | 1 of 1 |  |\n")


def test_results_replace_old_ones():
    once = insert_results(README, "first\n")
    assert insert_results(once, "second\n") == once.replace("first\n", "second\n")
    with pytest.raises(ValueError, match="has no"):
        insert_results("nothing here", "table")
