"""Location and commit of the library that the jobs run, and the record of the last complete run, figures/run.json.

No rule reads the record, and `make verify` does not compare it, because it differs between machines and runs.
"""

import json
import os
import platform
import subprocess
import sys
from contextlib import suppress
from functools import cache
from importlib.metadata import distributions
from pathlib import Path

from snakemake.logging import logger

from attention_dynamics.pipeline.run_times import LOGS, load_measured_times, parse_benchmark_path
from attention_dynamics.registry import PACKAGE
from attention_dynamics.store import write

# Messages of git about code that is not in a repository.
NOT_TRACKED = ("not a git repository", "did not match any file")
# Git sets these variables for its hooks, and in a worktree for `git rebase --exec`. Git is called without them here,
# because they may name another repository.
REPOSITORY_VARIABLES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR")


def use_this_library() -> None:
    """Make all child processes import the library from this checkout, even if another version is installed."""
    others = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    mine = str(PACKAGE.parent)
    os.environ["PYTHONPATH"] = os.pathsep.join([mine, *(path for path in others if path not in ("", mine))])


def describe_commit(apart_from: str = "") -> str:
    """Return the commit of this checkout, or "unknown" outside of git or if git refuses to name it.

    It ends in "-dirty" if tracked files outside of the folder ``apart_from`` were changed, or if there is untracked
    code.
    """
    tracked = [":/", *([f":(top,exclude){apart_from}"] if apart_from else [])]
    try:
        # This call fails if the library is installed inside of another repository, whose commit must not be used.
        _git("ls-files", "--error-unmatch", "--", "*.py")
        found = _git("rev-parse", "HEAD")
        changed = _git("status", "--porcelain", "--untracked-files=no", "--", *tracked)
        added = _git("ls-files", "--others", "--exclude-standard", "--", str(PACKAGE.parent))
    except (OSError, subprocess.CalledProcessError) as error:
        _warn_of_refusal(error)
        return "unknown"
    return f"{found}-dirty" if changed or added else found


def commit_date() -> str:
    """Return the date of the checked-out commit; without git, 1980-01-01, the earliest date in zip archives."""
    try:
        return _git("show", "--no-patch", "--no-show-signature", "--format=%cs", "HEAD")
    except (OSError, subprocess.CalledProcessError):
        return "1980-01-01"


def write_run_record(file: Path, scale: str, elapsed_s: float) -> None:
    """Write the record of this call of Snakemake.

    elapsed_s: seconds that the call took, without the jobs whose results were up to date. "jobs_s" in the record is the
    sum of the seconds of all jobs at the scale, each as it last ran here.
    """
    times = {job: s for job, s in load_measured_times(LOGS).items() if parse_benchmark_path(job)[0] == scale}
    machine = {"system": platform.platform(), "processor": platform.machine(), "cores": os.cpu_count()}
    record = {
        "command": sys.argv[1:],
        "commit": describe_commit(),
        "scale": scale,
        "elapsed_s": round(elapsed_s, 1),
        "jobs": len(times),
        "jobs_s": round(sum(times.values()), 1),
        "machine": machine,
        "versions": versions(),
    }
    write(file, json.dumps(record, indent=1).encode() + b"\n")


def versions() -> list[str]:
    """Return the versions of Python and of every installed package as "name==version"."""
    packages = sorted({f"{one.metadata['Name'].lower()}=={one.version}" for one in distributions()})
    return [f"python=={platform.python_version()}", *packages]


def _git(*arguments: str) -> str:
    environment = {name: value for name, value in os.environ.items() if name not in REPOSITORY_VARIABLES}
    english = environment | {"LC_ALL": "C"}
    command = ["git", *arguments]
    done = subprocess.run(command, cwd=PACKAGE, env=english, capture_output=True, text=True, check=True)  # noqa: S603
    return done.stdout.strip()


def _warn_of_refusal(error: OSError | subprocess.CalledProcessError) -> None:
    """Print why the commit is unknown, unless the library is simply not in a repository."""
    what = (getattr(error, "stderr", None) or str(error)).strip()
    if not any(text in what for text in NOT_TRACKED):
        _warn_once(f"the commit of the code is unknown ({' '.join(what.split())})")


@cache
def _warn_once(message: str) -> None:
    logger.warning(message)


def processor() -> str:
    """Return the model of the processor from /proc/cpuinfo, or else what Python's ``platform`` says of it."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
