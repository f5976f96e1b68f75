"""Snakemake and its jobs in forks of a process that has imported the packages they use: most of a start is imports.

Forks of one server share its hash seed, NumPy's global generator, and all imported packages; use ``Repository.command``
where that matters.
"""

import json
import multiprocessing
import os
import runpy
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partialmethod
from pathlib import Path
from typing import NoReturn

LONGEST_S = 900
MAX_REQUEST_BYTES = 1 << 17
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
    # Python reads PYTHONDONTWRITEBYTECODE only when it starts.
    sys.dont_write_bytecode = False
    sys.path[:0] = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    output = os.open(printed, os.O_WRONLY | os.O_APPEND)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(output, stream.fileno())
    sys.argv = ["snakemake", *arguments]

    from snakemake.cli import main
    from snakemake.script import PythonScript

    requests, received = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if os.fork() == 0:
        requests.close()
        _serve_jobs(received)
    received.close()
    PythonScript.execute_script = partialmethod(_execute_script, requests)
    main()


def _serve_jobs(received: socket.socket) -> NoReturn:
    """Fork a job for each request, until Snakemake ends.

    Snakemake has threads; in a fork of it, a lock that another thread holds would stay locked. This process has one.
    """
    while True:
        request, descriptors, _, _ = socket.recv_fds(received, MAX_REQUEST_BYTES, 1)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not request:
            os._exit(0)
        (answer,) = descriptors
        os.set_inheritable(answer, False)
        if os.fork() == 0:
            os.write(answer, struct.pack("i", os.getpid()))
            os.write(answer, bytes([_run_script(**json.loads(request))]))
            os._exit(0)
        os.close(answer)


def _execute_script(script, requests: socket.socket, file: str, edit: bool = False) -> None:
    """Take the place of ``PythonScript.execute_script``: run a job in a fork, with a library of its own."""
    from snakemake.benchmark import benchmarked

    read, write = os.pipe()
    request = json.dumps({"file": file, "folder": os.getcwd(), "environment": dict(os.environ)})
    socket.send_fds(requests, [request.encode()], [write])
    os.close(write)
    with open(read, "rb") as answer:
        (process,) = struct.unpack("i", answer.read(4))
        with benchmarked(process if script.bench_record else False, script.bench_record):
            # Nothing where the job was killed.
            code = answer.read(1)
    if code != b"\0":
        raise subprocess.CalledProcessError(code[0] if code else -signal.SIGKILL, ["python", file])


def _run_script(file: str, folder: str, environment: Mapping[str, str]) -> int:
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
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
