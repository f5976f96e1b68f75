"""Snakemake and its jobs in forks of a process that has imported the packages they use: most of a start is imports.

Forks of one server share its hash seed, NumPy's global generator, and all imported packages; use ``Repository.command``
where that matters.
"""

import multiprocessing
import os
import runpy
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path

LONGEST_S = 900
SERVER = multiprocessing.get_context("forkserver")
# Only packages that others have written: the copy of the repository brings its own library. A process has one server.
SERVER.set_forkserver_preload([
    "snakemake.cli", "snakemake.report", "smart_open", "nbformat", "clarabel", "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_pdf", "matplotlib.backends.backend_svg", "matplotlib.figure", "pandas",
    "scipy.optimize", "scipy.sparse", "sklearn.datasets", "torch", "torch._dynamo",
])  # fmt: skip


def run_snakemake(root: Path, arguments: Sequence[str]) -> subprocess.CompletedProcess:
    """Run Snakemake in a folder as the command would; returns what it printed on both streams as ``stdout``."""
    with tempfile.NamedTemporaryFile() as printed:
        process = SERVER.Process(target=_run, args=(root, arguments, dict(os.environ), printed.name))
        process.start()
        process.join(LONGEST_S)
        if process.is_alive():
            process.kill()
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
    from snakemake.script import PythonScript

    PythonScript.execute_script = _execute_script
    main()


def _execute_script(script, file: str, edit: bool = False) -> None:
    """Take the place of ``PythonScript.execute_script``: run a job in a fork, with a library of its own."""
    from snakemake.benchmark import benchmarked

    # In a thread of Snakemake: a lock that another thread holds now stays locked in the fork.
    process = os.fork()
    if process == 0:
        os._exit(_run_script(file))
    with benchmarked(process if script.bench_record else False, script.bench_record):
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    if code:
        raise subprocess.CalledProcessError(code, ["python", file])


def _run_script(file: str) -> int:
    for name in [name for name in sys.modules if name.partition(".")[0] == "attention_dynamics"]:
        del sys.modules[name]
    sys.path[:0] = os.environ["PYTHONPATH"].split(os.pathsep)
    try:
        runpy.run_path(file, run_name="__main__")
    except BaseException as error:
        # ``stage`` has printed the reason of a SystemExit.
        if not isinstance(error, SystemExit):
            traceback.print_exc()
        return 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 0
