"""Checks when Snakemake starts: paths, dates of results, the GPU, and stale locks of a run that was killed.

Snakemake leaves its lock files behind when it is killed, and then refuses the same command. Every main process
therefore holds a kernel lock (`flock`) on the file .snakemake/alive. The kernel releases the lock when the process
ends, however it ends. A process that gets the lock exclusively is the only one, so all lock files of Snakemake are
stale.
"""

import fcntl
import os
import shutil
import time
from contextlib import suppress
from pathlib import Path

from attention_dynamics.config.errors import ConfigError

# Files may be dated up to this far in the future, because the clock of a file server can be ahead of ours. Usually it
# differs by seconds; the limit is generous.
CLOCK_TOLERANCE_S = 600
_lock_descriptors: list[int] = []


def check_path(checkout: Path) -> None:
    """Raise ConfigError for braces in the path of the checkout, which Snakemake takes for names of variables."""
    if {"{", "}"} & {*str(checkout)}:
        raise ConfigError(f"{checkout}: Snakemake needs a path without braces; rename or move the folder")


def check_config_folder(folder: Path, workdir: Path, checkout: Path) -> None:
    """Raise ConfigError if the outputs of another configuration would replace those of config/ in the checkout."""
    if workdir.resolve() == checkout.resolve() and folder.resolve() != (checkout / "config").resolve():
        what = "its figures and results would replace those of config/; compute it elsewhere (--directory <folder>), or"
        raise ConfigError(f"--config: config_folder={folder}: {what} with a prefix (docs/extending.md)")


def check_mirror(folder: str) -> None:
    """Raise ConfigError for a folder of data sets that does not exist."""
    if not os.path.isdir(folder):
        raise ConfigError(f"data_mirror: {os.path.abspath(folder)}: there is no such folder")


def check_gpu() -> None:
    """Raise ConfigError unless PyTorch sees a GPU. Called only if jobs run on this machine, not on a cluster."""
    import torch  # Imported here, because it takes a second, and only runs on a GPU need it.

    if not torch.cuda.is_available():
        raise ConfigError("device: cuda: PyTorch finds no GPU on this machine; use device=cpu, or a build for CUDA")


def check_times(results: Path) -> None:
    """Raise ConfigError for a file with a date in the future: files that depend on it would always look outdated."""
    latest = time.time() + CLOCK_TOLERANCE_S
    for folder, _, names in os.walk(results):
        for name in names:
            file = os.path.join(folder, name)
            # Another call of Snakemake may have removed or replaced the file since it was listed.
            with suppress(OSError):
                if os.stat(file, follow_symlinks=False).st_mtime > latest:
                    raise ConfigError(f"{file}: is dated in the future; set the clock, or `touch` the file")


def clear_stale_locks(workdir: Path) -> None:
    """Remove Snakemake's lock files if no other main process uses ``workdir``.

    Also hold a kernel lock (`flock`) until the process ends. Where the file system has no `flock`, nothing is removed.
    Raises ConfigError if the folder .snakemake cannot be written.
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
