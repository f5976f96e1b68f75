"""Removal of stale Snakemake locks, so that a killed run can be started again.

Snakemake leaves its lock files behind when it is killed, and then refuses the same command. Every main process
therefore holds a kernel lock on a file beside them, which is released when the process ends for any reason. A process
that gets this lock exclusively is the only one, so that all lock files of Snakemake are stale.
"""

import fcntl
import os
import shutil
from pathlib import Path

from attention_dynamics.config.errors import ConfigError

_lock_descriptors: list[int] = []


def clear_stale_locks(workdir: Path) -> None:
    """Remove Snakemake's lock files if no other run is alive in ``workdir``; hold a lock until the process ends.

    On a file system without such locks nothing is removed. Raises ConfigError where nothing can be written.
    """
    state = workdir / ".snakemake"
    try:
        state.mkdir(exist_ok=True)
        descriptor = os.open(state / "alive", os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        what = "Snakemake keeps records there, also for a dry run; use a copy of the folder"
        raise ConfigError(f"{state}: cannot be written ({error.strerror}): {what}") from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        pass
    except OSError:
        os.close(descriptor)
        return
    else:
        shutil.rmtree(state / "locks", ignore_errors=True)
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    _lock_descriptors.append(descriptor)
