"""What is left to run, and how long it should take: ``python -m attention_dynamics.pipeline.estimate [arguments]``.

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


def left(arguments: Sequence[str]) -> list[str]:
    """The benchmark files of all jobs that Snakemake would run. Ends with what Snakemake says where it refuses."""
    command = [sys.executable, "-m", "snakemake", "--dry-run", *arguments]
    planned = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)  # noqa: S603 (ours)
    if planned.returncode:
        raise SystemExit(planned.stdout)
    return re.findall(r"^    benchmark: (.*)$", planned.stdout, re.MULTILINE)


def expected(jobs: Sequence[str], known: Mapping[str, float]) -> tuple[list[float], int]:
    """Seconds of each job, and how many are not known: these are taken as the median of their stage, or of all."""
    seconds, unknown = [], 0
    for job in jobs:
        alike = [known[job]] if job in known else [s for other, s in known.items() if stage(other) == stage(job)]
        unknown += job not in known
        seconds.append(median(alike or known.values()))
    return seconds, unknown


def told(jobs: Sequence[str], known: Mapping[str, float], cores: int) -> str:
    """The estimate in words."""
    if not jobs:
        return "nothing to be done"
    stages = ", ".join(f"{count} {name}" for name, count in Counter(map(stage, jobs)).most_common())
    what = f"{len(jobs)} jobs ({stages})"
    if not known:
        return f"{what}; none was ever timed"
    seconds, unknown = expected(jobs, known)
    # However many cores there are, the longest job takes as long as it takes.
    wall = max(sum(seconds) / cores, max(seconds))
    guessed = f"; {unknown} of them never timed, taken as others of their stage" if unknown else ""
    return f"{what}: about {_duration(wall)} on {cores} cores{guessed}"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _cores(arguments: Sequence[str]) -> int:
    asked = re.search(r"(?:--cores|--jobs|-c|-j)[ =]?(\d+)", " ".join(arguments))
    return int(asked[1]) if asked else len(os.sched_getaffinity(0))


if __name__ == "__main__":
    print(told(left(sys.argv[1:]), committed() | measured(LOGS), _cores(sys.argv[1:])))
