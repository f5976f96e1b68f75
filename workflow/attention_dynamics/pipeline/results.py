"""Checks of the files in ``results/`` when Snakemake starts."""

import json
import os
import time
from base64 import urlsafe_b64encode
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from attention_dynamics.config.errors import ConfigError
from attention_dynamics.pipeline.jobs import Jobs

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

    This is needed only for files of which Snakemake has no record of parameters in its folder ``records``, because that
    was deleted.
    """
    for run in jobs.runs:
        file = results / run / "train.npz"
        # The record's name in Snakemake 9; of paths of more than 170 characters, we look at the settings each time.
        record = urlsafe_b64encode(file.as_posix().encode()).decode()
        if file.is_file() and not (records / record).is_file():
            try:
                with np.load(file, allow_pickle=False) as arrays:
                    settings = json.loads(str(arrays["settings"]))
            except (BadZipFile, OSError, ValueError, KeyError):
                continue  # the jobs that read it name what is wrong
            if settings != jobs.get("train", run).spec["training"]:
                os.utime(file, (1, 1))  # Snakemake takes a time of 0 for none
