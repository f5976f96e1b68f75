"""Which copy of this library the jobs run."""

import os

from attention_dynamics.pipeline.source import PACKAGE


def use_this_library() -> None:
    """Make every process started from here import the library from this checkout, whatever else is installed."""
    others = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    mine = str(PACKAGE.parent)
    os.environ["PYTHONPATH"] = os.pathsep.join([mine, *(path for path in others if path not in ("", mine))])
