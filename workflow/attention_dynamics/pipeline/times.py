"""How long jobs take, from Snakemake's benchmark files: ``python -m attention_dynamics.pipeline.times``.

That writes the committed tables: benchmarks/times.csv, a line per job, and benchmarks/times.md, a line per stage.
"""

import csv
import json
from pathlib import Path
from statistics import median

from attention_dynamics.pipeline import source

LOGS = Path("logs")
COMMITTED = source.PACKAGE.parents[1] / "benchmarks" / "times.csv"
LONGEST = 12


def measured(logs: Path) -> dict[str, float]:
    """Seconds that every job took when it last ran here, by the path of its benchmark file, as the rules name it."""
    seconds = {}
    for file in sorted(logs.rglob("*.jsonl")):
        if lines := file.read_text().splitlines():
            seconds[(LOGS / file.relative_to(logs)).as_posix()] = float(json.loads(lines[-1])["s"])
    return seconds


def committed() -> dict[str, float]:
    """The same of the run that is committed; empty where the table is not there."""
    if not COMMITTED.is_file():
        return {}
    with COMMITTED.open(newline="") as file:
        return {row["benchmark"]: float(row["seconds"]) for row in csv.DictReader(file)}


def stage(benchmark: str) -> str:
    """The rule whose job left a benchmark file, of its path."""
    return Path(benchmark).stem


def summary(seconds: dict[str, float]) -> str:
    """Markdown: a line per stage, and the longest jobs."""
    total = sum(seconds.values())
    stages = {name: [s for job, s in seconds.items() if stage(job) == name] for name in map(stage, seconds)}
    lines = ["| stage | jobs | seconds in all | share | median | longest |", "|---|---|---|---|---|---|"]
    lines += [
        f"| {name} | {len(all)} | {sum(all):.0f} | {sum(all) / total:.0%} | {median(all):.2f} | {max(all):.1f} |"
        for name, all in sorted(stages.items(), key=lambda item: -sum(item[1]))
    ]
    lines += [f"| all | {len(seconds)} | {total:.0f} | | | |", "", "| longest jobs | seconds |", "|---|---|"]
    longest = sorted(seconds, key=seconds.__getitem__, reverse=True)[:LONGEST]
    lines += [f"| {Path(job).with_suffix('').relative_to(LOGS)} | {seconds[job]:.1f} |" for job in longest]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    found = measured(LOGS)
    if not found:
        raise SystemExit(f"{LOGS}: no benchmark files; run `make figures` first")
    with COMMITTED.open("w", newline="") as table:
        writer = csv.writer(table, lineterminator="\n")
        writer.writerow(["benchmark", "seconds"])
        writer.writerows((job, f"{seconds:.2f}") for job, seconds in sorted(found.items()))
    head = "# Where the time of `make figures` goes\n\nWritten by `make times` from Snakemake's benchmark files.\n\n"
    COMMITTED.with_suffix(".md").write_text(head + summary(found))
