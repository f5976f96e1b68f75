"""Verdicts with other seeds: ``python -m attention_dynamics.pipeline.robustness --seeds 100 200 [-- <for snakemake>]``.

For each number it writes a variant in which that number is added to every seed. Snakemake then judges all figures that
draw anything at random, and their claims and statements are compared with those in figures/.
``benchmarks/robustness.csv`` has every verdict. ``benchmarks/robustness.md`` has the verdicts that differ, and how many
should differ if the intervals are right. Run it after ``make figures``. It resumes like any other target.
"""

import argparse
import platform
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from attention_dynamics.claims.statement_tables import judge_statements
from attention_dynamics.claims.statements import load_statements
from attention_dynamics.claims.verdict import ORDER, Verdict
from attention_dynamics.config.errors import exit_in_one_line
from attention_dynamics.config.experiment import experiment_seeds
from attention_dynamics.config.load import VARIANTS, Config, load_config
from attention_dynamics.config.paper import Paper
from attention_dynamics.csv_table import csv_table
from attention_dynamics.markdown_table import markdown_table, plain_text
from attention_dynamics.pipeline.checkout import processor
from attention_dynamics.store import load_json, write

CONFIG, BENCHMARKS = Path("config"), Path("benchmarks")
PUBLISHED_SEED, NOT_JUDGED = "about the published seeds", "not judged"
# Verdicts that contradict each other.
OPPOSITE = ({"supported", "contradicted"}, {"supported", "partly"}, {"no counterexample", "counterexample"})
# Reads a printed expectation: its sign, its numbers, and the tolerance.
EXPECTED = re.compile(r"(?P<sign><=|>=|=|>)? ?(?P<numbers>[^+]*?)(?: \+- (?P<within>\S+)(?P<percent> %)?)?$")
# Half the width of a 95 % interval in standard deviations, and the number of simulated samples.
HALF_WIDTH, SIMULATED = 1.96, 10_000

Row = dict[str, Any]


def shifted_seeds(block: Any, offset: int, key: str = "") -> Any:
    """Return nested settings reduced to their seeds, each larger by ``offset``; None if they have no seeds."""
    if isinstance(block, Mapping):
        found = {name: shifted_seeds(value, offset, name) for name, value in block.items()}
        return {name: value for name, value in found.items() if value is not None} or None
    if "seed" not in key or isinstance(block, bool):
        return None
    if isinstance(block, int):
        return block + offset
    return [one + offset for one in block] if isinstance(block, Sequence) and not isinstance(block, str) else None


def shift_paper(paper: Paper, offset: int) -> dict[str, Any]:
    """Return the changes that make all seeds in the problems and runs of a paper larger by ``offset``."""
    problems = {name: one.source.model_dump(mode="json", exclude_none=True) for name, one in paper.problems.items()}
    runs = {name: one.training.model_dump(mode="json", exclude_none=True) for name, one in paper.runs.items()}
    return shifted_seeds({"problems": problems, "runs": runs}, offset) or {}


def random_figures(config: Config) -> list[str]:
    """Return "<paper>/<figure>" of the figures that draw anything at random."""
    papers = config.papers.items()
    return [f"{key}/{name}" for key, paper in papers for name in paper.figures if experiment_seeds(paper, name)]


def write_variant(config: Config, offset: int) -> str:
    """Write the variant in which all seeds are larger by ``offset``, and return its name."""
    name = f"seeds_{offset}"
    changes = {key: shift_paper(paper, offset) for key, paper in config.papers.items()}
    write(CONFIG / VARIANTS / f"{name}.yaml", yaml.safe_dump(changes, sort_keys=False).encode())
    return name


def verdict_file(config: Config, figure: str, variant: str = "") -> Path:
    """Return the file with the verdicts on the claims of a figure, as published or in a variant."""
    above = Path("results") / config.settings.scale / "claims"
    return (above / VARIANTS / variant if variant else above) / f"{figure}.json"


def load_rows(config: Config, variant: str = "") -> dict[str, list[Row]]:
    """Return figure -> rows of the ledger, as published or in a variant.

    Rows of a variant get the "setting" of the published claim. Figures without seeds keep the published rows, and
    figures whose claims could not be judged are left out.
    """
    found = {}
    for figure in config.figures():
        published = load_json(verdict_file(config, figure))
        file = verdict_file(config, figure, variant)
        if not variant or not experiment_seeds(config.papers[figure.split("/")[0]], figure.split("/")[1]):
            found[figure] = published
        elif file.exists():
            settings = {row["claim"]: row["setting"] for row in published}
            found[figure] = [{**row, "setting": settings.get(row["claim"], "")} for row in load_json(file)]
    return found


def compare_claims(config: Config, variants: Sequence[str]) -> list[Row]:
    """Return a row for each claim of a figure that draws at random: its verdicts, and what was measured."""
    published, others = load_rows(config), {name: load_rows(config, name) for name in variants}
    rows = []
    for figure in random_figures(config):
        for one in published[figure]:
            row = {"figure": figure, "claim": one["claim"], "setting": one["setting"], "published": one["verdict"]}
            for name in variants:
                same = [other for other in others[name].get(figure, []) if other["claim"] == one["claim"]]
                row[name] = same[0]["verdict"] if same else NOT_JUDGED
                row[f"measured, {name}"] = same[0]["measured"] if same else ""
            # Published numbers, and expected numbers of independent computations, are for the published seeds only.
            fixed = one["published"] or one["claim"] == "expected_numbers"
            kind = PUBLISHED_SEED if fixed else _differences(row, variants)
            differs, opposite = (None if fixed else predict(one)) or (None, None)
            numbers = {"measured": one["measured"], "p_differs": differs, "p_opposite": opposite}
            rows.append(row | numbers | {"differs": kind, "source": one["unit"] or "nothing was resampled"})
    return rows


def compare_statements(config: Config, variants: Sequence[str]) -> list[Row]:
    """Return a row for each statement that has a primary claim: its verdicts as published and with other seeds."""
    listed = [one for paper in config.papers for one in load_statements(paper)]
    verdicts = {}
    for name in ("", *variants):
        rows = [row for of_figure in load_rows(config, name).values() for row in of_figure]
        verdicts[name] = {(one["paper"], one["id"]): one["verdict"] for one in judge_statements(listed, rows)}
    fixed = {
        (figure.partition("/")[0], f"{row['figure']}/{row['claim']}")
        for figure, of_figure in load_rows(config).items()
        for row in of_figure
        if row["published"]
    }
    rows = []
    for one in listed:
        if one.primary:
            key = (one.paper, one.id)
            row = {"statement": "/".join(key), "published": verdicts[""][key]}
            row |= {name: verdicts[name][key] for name in variants}
            kind = PUBLISHED_SEED if (one.paper, one.primary) in fixed else _differences(row, variants)
            rows.append(row | {"differs": kind})
    return rows


def predict(row: Row) -> tuple[float, float] | None:
    """Return two probabilities: that another sample gives a claim another verdict, and that it gives the opposite one.

    They assume that the interval covers all random variation: a new estimate is normal around the present one, with the
    sum of both variances, and its interval is as wide. Return None for a claim without interval.
    """
    value, low, high = (np.array([float(one) for one in row[name].split()]) for name in ("estimate", "low", "high"))
    measured = row["measured"].partition(";")[0].split()
    if not 0 < len(value) == len(low) == len(measured) or row["verdict"] == Verdict.REPORTED:
        return None
    smallest, largest = _bounds(row["expected"], len(value))
    spread = np.nan_to_num((high - low) / (2 * HALF_WIDTH))
    shift = np.sqrt(2) * spread * np.random.default_rng(0).standard_normal((SIMULATED, len(value)))
    holds = (smallest <= low + shift) & (high + shift <= largest)
    fails = (high + shift < smallest) | (low + shift > largest)
    other = Verdict.COMPATIBLE if (smallest == largest).all() else Verdict.UNDECIDED
    verdicts = np.where(holds, Verdict.HOLDS.value, np.where(fails, Verdict.FAILS.value, other.value))
    found = [next(one for one in ORDER if one in of_sample) for of_sample in verdicts.tolist()]
    opposite = {Verdict.HOLDS: Verdict.FAILS, Verdict.FAILS: Verdict.HOLDS}.get(row["verdict"])
    return sum(one != row["verdict"] for one in found) / SIMULATED, found.count(opposite) / SIMULATED  # type: ignore[arg-type]


def _bounds(expected: str, count: int) -> tuple[Any, Any]:
    """Return the smallest and the largest number that an expectation allows, as the ledger prints it."""
    match = EXPECTED.match(expected)
    assert match  # every text of ``expectation`` has this form
    numbers = np.broadcast_to([float(one) for one in match["numbers"].split()], count)
    within = float(match["within"] or 0) * (np.abs(numbers) / 100 if match["percent"] else 1)
    low, high = numbers - within, numbers + within
    return np.where(match["sign"] == "<=", -np.inf, low), np.where(match["sign"] in (">=", ">"), np.inf, high)


def _differences(row: Row, variants: Iterable[str]) -> str:
    """Return how the verdicts of a row differ: "opposite", "differs", or "" if they are equal."""
    seen = {row["published"], *(row[name] for name in variants)} - {NOT_JUDGED}
    if {Verdict.HOLDS, Verdict.FAILS} <= seen or any(pair <= seen for pair in OPPOSITE):
        return "opposite"
    return "differs" if len(seen) > 1 else ""


def render(claims: Sequence[Row], statements: Sequence[Row], variants: Sequence[str], machine: str) -> str:
    """Return the page in Markdown: how many verdicts differ, and which. machine: description of the computer."""
    lines = [
        "# Verdicts with other seeds",
        "",
        "Written by `python -m attention_dynamics.pipeline.robustness`; `robustness.csv` has every verdict. Every seed",
        f"of the configuration is larger by {' and '.join(name.rpartition('_')[2] for name in variants)}. Computed on",
        f"{machine}.",
        "",
    ]
    for what, rows in (("statement", statements), ("claim", claims)):
        judged = [row for row in rows if row["differs"] != PUBLISHED_SEED]
        differing = [row for row in judged if row["differs"]]
        opposite = sum(row["differs"] == "opposite" for row in differing)
        lines += [f"## {what.capitalize()}s", ""]
        lines += [
            f"{len(judged)} {what}s were compared; {len(differing)} have another verdict, {opposite} the opposite."
        ]
        if predicted := [row for row in judged if row.get("p_differs") is not None]:
            lines += [_compare_with_predictions(predicted, variants)]
        if left := len(rows) - len(judged):
            lines += [f"{left} more compare with numbers of the published seeds."]
        lines += [""]
        if differing:
            name = (
                (lambda row: row["statement"])
                if what == "statement"
                else (lambda row: f"{row['figure']} {row['claim']}")
            )
            cells = [
                [name(row), *(_cell(row, one) for one in ("published", *variants)), row.get("source", ""),
                 _percent(row.get("p_differs"))]
                for row in differing
            ]  # fmt: skip
            lines += [*markdown_table([what, "published", *variants, "what varies", "predicted"], cells), ""]
    return "\n".join(lines)


def _compare_with_predictions(rows: Sequence[Row], variants: Sequence[str]) -> str:
    """Return how many verdicts of claims with intervals differ in each variant, and how many should."""
    texts = []
    for name in variants:
        here = [row for row in rows if row[name] != NOT_JUDGED]
        seen = [_differences(row, [name]) for row in here]
        differ, opposite = (sum(row[key] for row in here) for key in ("p_differs", "p_opposite"))
        texts.append(
            f"of {len(here)} with intervals {sum(map(bool, seen))} differ under {name}, where the intervals predict"
            f" {differ:.1f}; the opposite have {seen.count('opposite')}, predicted {opposite:.2g}"
        )
    return f"{'; '.join(texts).capitalize()}."


def _percent(probability: float | None) -> str:
    return "" if probability is None else f"{probability:.0%}"


def _cell(row: Row, name: str) -> str:
    measured = row.get("measured" if name == "published" else f"measured, {name}", "")
    return plain_text(f"{row[name]}: {measured}" if measured else row[name])


def main(arguments: Sequence[str]) -> None:
    """Judge the figures with other seeds, and write what differs. Raises ConfigError for a wrong configuration."""
    parser = argparse.ArgumentParser(prog="python -m attention_dynamics.pipeline.robustness", description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="+", required=True, help="what is added to every seed")
    parser.add_argument("snakemake", nargs="*", help="arguments for snakemake, after --")
    given = parser.parse_args(arguments)
    config = load_config(CONFIG, {})
    variants = [write_variant(config, offset) for offset in given.seeds]
    targets = [str(verdict_file(config, figure, name)) for name in variants for figure in random_figures(config)]
    # --keep-going, because claims about a certain seed cannot be judged with another one.
    command = [sys.executable, "-m", "snakemake", "--keep-going", *given.snakemake]
    subprocess.run([*command, "--", "figures/claims.csv", *targets], check=False)  # noqa: S603
    claims, statements = compare_claims(config, variants), compare_statements(config, variants)
    machine = f"{processor()}, in double precision, with Python {platform.python_version()}"
    table = pd.DataFrame([*statements, *claims]).astype(object).fillna("")
    write(BENCHMARKS / "robustness.csv", csv_table(table).encode())
    write(BENCHMARKS / "robustness.md", render(claims, statements, variants, machine).encode())


if __name__ == "__main__":
    with exit_in_one_line():
        main(sys.argv[1:])
