"""Estimate of the pending jobs and of their run time: ``python -m attention_dynamics.pipeline.estimate [arguments]``.

Arguments are Snakemake's: targets, --config, --cores.
"""

import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median

from attention_dynamics.pipeline.times import LOGS, load_committed_times, load_measured_times, parse_benchmark_path


def pending_jobs(arguments: Sequence[str]) -> list[str]:
    """Return the benchmark files of all jobs that Snakemake would run. Exits with Snakemake's output if it fails."""
    command = [sys.executable, "-m", "snakemake", "--dry-run", *arguments]
    planned = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)  # noqa: S603 (ours)
    if planned.returncode:
        raise SystemExit(planned.stdout)
    return re.findall(r"^    benchmark: (.*)$", planned.stdout, re.MULTILINE)


def estimate_seconds(jobs: Sequence[str], known: Mapping[str, float]) -> tuple[list[float], int]:
    """Return the run times of the jobs in seconds, and the number of jobs without an estimate.

    The estimate of a job that has not run is the median of its stage at its scale.
    """
    stages: dict[tuple[str, str], list[float]] = {}
    for job, seconds in known.items():
        stages.setdefault(parse_benchmark_path(job), []).append(seconds)
    similar = [[known[job]] if job in known else stages.get(parse_benchmark_path(job), []) for job in jobs]
    return [median(seconds) for seconds in similar if seconds], sum(not seconds for seconds in similar)


def format_estimate(jobs: Sequence[str], known: Mapping[str, float], cores: int | None) -> str:
    """Return the estimate in words. cores: None if nobody knows how many jobs run at once, as on a cluster."""
    if not jobs:
        return "nothing to do"
    counts = Counter(rule for _, rule in map(parse_benchmark_path, jobs))
    stages = ", ".join(f"{count} {rule}" for rule, count in counts.most_common())
    what = f"{len(jobs)} {'job' if len(jobs) == 1 else 'jobs'} ({stages})"
    if cores is None:
        return what
    seconds, unknown = estimate_seconds(jobs, known)
    if not seconds:
        return f"{what}; no run time of such a job is known"
    return f"{what}: {format_time(seconds, unknown, cores, f' with --cores {cores}')}"


def format_time(seconds: Sequence[float], unknown: int, cores: int, what: str) -> str:
    """Return a text with the wall time of jobs; it is a lower bound where ``unknown`` others have no estimate.

    seconds: of each job. what: follows the time.
    """
    # No number of cores makes it faster than the longest job.
    wall = format_duration(max(sum(seconds) / cores, max(seconds)))
    if not unknown:
        return f"about {wall}{what}"
    return f"at least {wall}{what}; {unknown} {'job has' if unknown == 1 else 'jobs have'} no estimate"


def format_duration(seconds: float) -> str:
    """Return a time in words, to the second; from an hour on, to the minute."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _cores(arguments: Sequence[str]) -> int:
    asked = re.search(r"(?:^| )(?:--cores|--jobs|-c|-j)[ =]?([1-9]\d*)", " ".join(arguments))
    return int(asked[1]) if asked else len(os.sched_getaffinity(0))


if __name__ == "__main__":
    print(
        format_estimate(
            pending_jobs(sys.argv[1:]), load_committed_times() | load_measured_times(LOGS), _cores(sys.argv[1:])
        )
    )
