"""Checks of the files in ``results/`` when Snakemake starts."""

import os
import time
from contextlib import suppress
from pathlib import Path

from attention_dynamics.config.errors import ConfigError

# Clocks of file servers differ by some seconds.
CLOCK_TOLERANCE_S = 600


def check_times(results: Path) -> None:
    """Raise ConfigError for a file with a date in the future: files that depend on it would always look outdated."""
    latest = time.time() + CLOCK_TOLERANCE_S
    for folder, _, names in os.walk(results):
        for name in names:
            file = os.path.join(folder, name)
            # Another run may have removed or replaced it since.
            with suppress(OSError):
                if os.stat(file, follow_symlinks=False).st_mtime > latest:
                    raise ConfigError(f"{file}: is dated in the future; set the clock, or `touch` the file")
