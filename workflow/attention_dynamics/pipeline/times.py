"""Run times of jobs, from Snakemake's benchmark files: ``python -m attention_dynamics.pipeline.times``.

The command writes tables for laptop scale: benchmarks/times.csv with a line per job, benchmarks/times.md with a line
per stage.
"""

import csv
import json
from pathlib import Path
from statistics import median

from attention_dynamics.config.load import COMPARISON, VARIANTS
from attention_dynamics.markdown_table import markdown_table
from attention_dynamics.registry import PACKAGE

LOGS = Path("logs")
COMMITTED_TIMES = PACKAGE.parents[1] / "benchmarks" / "times.csv"
LONGEST_JOBS_COUNT = 12


def load_measured_times(logs: Path) -> dict[str, float]:
    """Return the run time of every job in seconds, when it last ran here, by the path of its benchmark file."""
    times = {file: load_time(file) for file in sorted(logs.rglob("*.jsonl"))}
    return {(LOGS / file.relative_to(logs)).as_posix(): s for file, s in times.items() if s is not None}


def load_time(benchmark: Path) -> float | None:
    """Return the run time in seconds in a job's benchmark file, of its last run; None if there is none."""
    lines = benchmark.read_text().splitlines() if benchmark.is_file() else []
    return float(json.loads(lines[-1])["s"]) if lines else None


def load_committed_times() -> dict[str, float]:
    """Return the same of the committed table; an empty mapping if it is missing."""
    if not COMMITTED_TIMES.is_file():
        return {}
    with COMMITTED_TIMES.open(newline="") as file:
        return {row["benchmark"]: float(row["seconds"]) for row in csv.DictReader(file)}


def parse_benchmark_path(benchmark: str) -> tuple[str, str]:
    """Return scale and rule of a job, given the path of its benchmark file."""
    path = Path(benchmark)
    return path.parts[1], path.stem


def format_summary(seconds: dict[str, float]) -> str:
    """Return a Markdown table with a line per stage, and one of the longest jobs."""
    total = sum(seconds.values())
    stages = {
        name: [s for job, s in seconds.items() if parse_benchmark_path(job)[1] == name]
        for _, name in map(parse_benchmark_path, seconds)
    }
    rows = [
        [name, len(each), f"{sum(each):.0f}", f"{sum(each) / total:.0%}", f"{median(each):.2f}", f"{max(each):.1f}"]
        for name, each in sorted(stages.items(), key=lambda item: -sum(item[1]))
    ]
    rows.append(["all", len(seconds), f"{total:.0f}", "", "", ""])
    longest = sorted(seconds, key=seconds.__getitem__, reverse=True)[:LONGEST_JOBS_COUNT]
    jobs = [[Path(job).with_suffix("").relative_to(LOGS), f"{seconds[job]:.1f}"] for job in longest]
    head = ["stage", "jobs", "seconds in all", "share", "median", "longest"]
    return "\n".join([*markdown_table(head, rows), "", *markdown_table(["longest jobs", "seconds"], jobs)]) + "\n"


if __name__ == "__main__":
    found = {
        job: seconds
        for job, seconds in load_measured_times(LOGS).items()
        if parse_benchmark_path(job)[0] == "laptop" and VARIANTS not in job and f"/{COMPARISON}/" not in job
    }
    if not found:
        raise SystemExit(f"{LOGS}: no benchmark files of laptop scale; run `make figures` first")
    with COMMITTED_TIMES.open("w", newline="") as table:
        writer = csv.writer(table, lineterminator="\n")
        writer.writerow(["benchmark", "seconds"])
        writer.writerows((job, f"{seconds:.2f}") for job, seconds in sorted(found.items()))
    head = "# Where the time of `make figures` goes\n\nWritten by `make times` from Snakemake's benchmark files.\n\n"
    COMMITTED_TIMES.with_suffix(".md").write_text(head + format_summary(found))
