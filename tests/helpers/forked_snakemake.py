"""Snakemake in a fork of a process that has imported it: most of the time of a start is spent on imports."""

import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

SERVER = multiprocessing.get_context("forkserver")
# Only packages that others have written: the copy of the repository brings its own library.
SERVER.set_forkserver_preload(["snakemake.cli", "snakemake.report", "smart_open", "nbformat", "matplotlib.figure"])


def run_snakemake(root: Path, arguments: Sequence[str]) -> subprocess.CompletedProcess:
    """Run Snakemake in a folder as the command would; returns what it printed on both streams as ``stdout``."""
    with tempfile.NamedTemporaryFile() as printed:
        process = SERVER.Process(target=_run, args=(root, arguments, dict(os.environ), printed.name))
        process.start()
        process.join()
        return subprocess.CompletedProcess(["snakemake", *arguments], process.exitcode, printed.read().decode())


def _run(root: Path, arguments: Sequence[str], environment: Mapping[str, str], printed: str) -> None:
    # The server has the folder and the environment of its own start.
    os.chdir(root)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:0] = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    output = os.open(printed, os.O_WRONLY | os.O_APPEND)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(output, stream.fileno())
    sys.argv = ["snakemake", *arguments]

    from snakemake.cli import main

    main()
