"""Estimate of the jobs that are left and of their time: ``python -m attention_dynamics.pipeline.estimate [arguments]``.

Arguments are Snakemake's: targets, --config, --cores.
"""

import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median

from attention_dynamics.pipeline.times import LOGS, committed, measured, stage


def pending_jobs(arguments: Sequence[str]) -> list[str]:
    """The benchmark files of all jobs that Snakemake would run. Ends with what Snakemake says where it refuses."""
    command = [sys.executable, "-m", "snakemake", "--dry-run", *arguments]
    planned = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)  # noqa: S603 (ours)
    if planned.returncode:
        raise SystemExit(planned.stdout)
    return re.findall(r"^    benchmark: (.*)$", planned.stdout, re.MULTILINE)


def expected(jobs: Sequence[str], known: Mapping[str, float]) -> tuple[list[float], int]:
    """Seconds of the jobs, and of how many of them nothing is known.

    A job that was never timed is taken as the median of its stage at its scale, which has to have been.
    """
    stages: dict[tuple[str, str], list[float]] = {}
    for job, seconds in known.items():
        stages.setdefault(stage(job), []).append(seconds)
    similar = [[known[job]] if job in known else stages.get(stage(job), []) for job in jobs]
    return [median(seconds) for seconds in similar if seconds], sum(not seconds for seconds in similar)


def format_estimate(jobs: Sequence[str], known: Mapping[str, float], cores: int) -> str:
    """The estimate in words."""
    if not jobs:
        return "nothing to do"
    counts = Counter(rule for _, rule in map(stage, jobs))
    what = f"{len(jobs)} jobs ({', '.join(f'{count} {rule}' for rule, count in counts.most_common())})"
    seconds, unknown = expected(jobs, known)
    if not seconds:
        return f"{what}; none like them was ever timed"
    # However many cores there are, the longest job takes as long as it takes.
    wall = max(sum(seconds) / cores, max(seconds))
    besides = f", and {unknown} jobs of which none like them was ever timed" if unknown else ""
    return f"{what}: about {_duration(wall)} with --cores {cores}{besides}"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _cores(arguments: Sequence[str]) -> int:
    asked = re.search(r"(?:^| )(?:--cores|--jobs|-c|-j)[ =]?([1-9]\d*)", " ".join(arguments))
    return int(asked[1]) if asked else len(os.sched_getaffinity(0))


if __name__ == "__main__":
    print(format_estimate(pending_jobs(sys.argv[1:]), committed() | measured(LOGS), _cores(sys.argv[1:])))
