"""Starting again after a kill: telling a stale Snakemake lock from one that somebody holds.

Snakemake leaves its lock files behind when it is killed, and then refuses the same command. Every main process holds a
lock of the kernel's on a file beside them, which vanishes with the process however it ends. Whoever gets that lock
exclusively is alone, so whatever Snakemake's lock files say is stale.
"""

import fcntl
import os
import shutil
from pathlib import Path

_held: list[int] = []


def clear_stale_locks(workdir: Path) -> None:
    """Remove Snakemake's lock files if no other run is alive in ``workdir``; hold a lock until the process ends.

    On a file system without such locks nothing is removed.
    """
    state = workdir / ".snakemake"
    state.mkdir(exist_ok=True)
    descriptor = os.open(state / "alive", os.O_RDWR | os.O_CREAT, 0o666)
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
    _held.append(descriptor)
