"""Checks of the files in ``results/`` when Snakemake starts."""

import json
import os
import time
from pathlib import Path

from attention_dynamics.config.errors import ConfigError
from attention_dynamics.pipeline.jobs import Jobs
from attention_dynamics.store import DamagedFile, load_arrays

# Clocks of file servers differ by some seconds.
CLOCK_TOLERANCE_S = 600


def check_times(results: Path) -> None:
    """Raise ConfigError for a file with a date in the future: files that depend on it would always look outdated."""
    latest = time.time() + CLOCK_TOLERANCE_S
    for folder, _, names in os.walk(results):
        for name in names:
            file = os.path.join(folder, name)
            if os.stat(file, follow_symlinks=False).st_mtime > latest:
                raise ConfigError(f"{file}: is dated in the future; set the clock, or `touch` the file")


def mark_outdated(jobs: Jobs, results: Path, records: Path) -> None:
    """Set back the date of trainings with other settings, so that Snakemake repeats them.

    This is needed only if Snakemake's own records of parameters, in the folder ``records``, were deleted.
    """
    if records.exists():
        return
    for run in jobs.runs:
        file = results / run / "train.npz"
        if file.is_file():
            try:
                settings = json.loads(str(load_arrays(file)["settings"]))
            except (DamagedFile, KeyError):
                continue
            if settings != jobs.get("train", run).spec["training"]:
                os.utime(file, (0, 0))
