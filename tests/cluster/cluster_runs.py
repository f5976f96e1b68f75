"""A Slurm for tests, and runs of Snakemake on it."""

import os
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest
from loopback_slurm import LoopbackSlurm, missing

from conftest import Repository

# There is no accounting on loopback, and nothing to wait for.
LOOPBACK = (
    "--workflow-profile", "profiles/slurm", "--slurm-no-account", "--slurm-status-command", "squeue",
    "--latency-wait", "5",
)  # fmt: skip
# More than any run takes on a machine that does other work, too.
SECONDS = 1200
IMPATIENT = Path(__file__).with_name("impatient.py")


@contextmanager
def running_slurm(isolated: bool = False):
    """Yield a running Slurm, with an isolated node if asked for.

    Skips the test where Slurm is missing, and fails it if SLURM_REQUIRED is set.
    """
    if why := missing(isolated):
        (pytest.fail if os.environ.get("SLURM_REQUIRED") else pytest.skip)(why)
    # Paths of sockets are short.
    with tempfile.TemporaryDirectory(prefix="slurm") as folder:
        Path(folder).chmod(0o755)
        slurm = LoopbackSlurm(Path(folder), isolated)
        try:
            slurm.start()
            yield slurm
        finally:
            slurm.stop()


def submit(repository: Repository, slurm: LoopbackSlurm, *arguments: str) -> subprocess.Popen:
    """Start Snakemake with the cluster's profile; returns the process."""
    return subprocess.Popen(
        [sys.executable, IMPATIENT, *arguments, *LOOPBACK],
        cwd=repository.root, env=slurm.environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
    )  # fmt: skip


def wait_for_end(process: subprocess.Popen) -> str:
    """Wait for a run; returns what it printed. One that does not end is killed, and fails."""
    try:
        return process.communicate(timeout=SECONDS)[0]
    except subprocess.TimeoutExpired:
        kill(process)
        pytest.fail(f"it did not end: {process.communicate()[0]}")


def kill(process: subprocess.Popen) -> None:
    """Kill a run and what it started here; jobs go on."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def finish(process: subprocess.Popen) -> str:
    """Wait for a run that must succeed; returns what it printed."""
    printed = wait_for_end(process)
    assert process.returncode == 0, printed
    return printed
