"""Which copy of this library the jobs run, and which commit it is."""

import os
import subprocess

from attention_dynamics.pipeline.source import PACKAGE


def use_this_library() -> None:
    """Make every process started from here import the library from this checkout, whatever else is installed."""
    others = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    mine = str(PACKAGE.parent)
    os.environ["PYTHONPATH"] = os.pathsep.join([mine, *(path for path in others if path not in ("", mine))])


def commit() -> str:
    """The commit of this checkout, with "-dirty" where its files differ from it; "unknown" outside of git."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        done = subprocess.run(command, cwd=PACKAGE, capture_output=True, text=True, check=True)  # noqa: S603 (fixed)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return done.stdout.strip()
