"""Location and commit of the library that the jobs run."""

import os
import subprocess

from attention_dynamics.registry import PACKAGE


def use_this_library() -> None:
    """Make every process started from here import the library from this checkout, whatever else is installed."""
    others = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    mine = str(PACKAGE.parent)
    os.environ["PYTHONPATH"] = os.pathsep.join([mine, *(path for path in others if path not in ("", mine))])


def commit() -> str:
    """The commit of this checkout, with "-dirty" where its files differ from it or code is not in it.

    "unknown" outside of git.
    """
    try:
        found = _git("describe", "--always", "--dirty", "--abbrev=40", "--exclude=*")
        added = _git("ls-files", "--others", "--exclude-standard", "--", str(PACKAGE.parent))
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"{found.removesuffix('-dirty')}-dirty" if added else found


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=PACKAGE, capture_output=True, text=True, check=True)  # noqa: S603, S607
    return done.stdout.strip()
