"""Context manager in which every job runs.

It writes what the job prints to a log, checks that the code was not edited after the job was planned, and prints one
line on the terminal if the job fails.
"""

import atexit
import errno
import gc
import importlib
import io
import os
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from attention_dynamics.pipeline.fingerprint import stage_fingerprint
from attention_dynamics.progress import one_line
from attention_dynamics.registry import NAME
from attention_dynamics.store import save_arrays
from attention_dynamics.training import NumericalFailure

# By default, the garbage collector scans all imported modules repeatedly, and once more when the process ends. This
# takes a fifth of the time of a short job. These lines avoid it, and rules/common.smk has them for Snakemake itself.
gc.set_threshold(100_000)
atexit.register(gc.freeze)

# Limit for what a job prints, and for its traceback.
MAX_LOG_BYTES = 10_000_000
LOG_FULL = b"\n... the log is full; what follows was not kept\n"
exit_process = os._exit


class _BoundedFile(io.FileIO):
    """A file that keeps only the first ``room`` bytes that are written to it: a plug-in may print without end."""

    room = MAX_LOG_BYTES

    def write(self, data: Any) -> int:
        if self.room > 0:
            kept = bytes(data[: self.room])
            self.room -= len(kept)
            # errors="ignore" drops the last character if only some of its bytes are kept.
            super().write(kept if self.room else kept.decode(errors="ignore").encode() + LOG_FULL)
        return len(data)


class CodeChanged(RuntimeError):
    """Error of a job whose code was edited after Snakemake planned the job."""


@contextmanager
def stage(snakemake: Any) -> Iterator[Any]:
    """Run the body as the job described by Snakemake's ``snakemake`` object, which the body gets.

    Everything printed goes to the rule's log. An error prints one line on the terminal and at the end of the log. In
    the log, a traceback precedes the line, unless the line says what is wrong (``is_explained``).
    """
    terminal, log = sys.stderr, None
    name = "/".join([snakemake.rule, *map(str, snakemake.wildcards)])
    try:
        # Within try, because on a full disk opening and closing the log can fail, too.
        file = _BoundedFile(snakemake.log[0], "w")
        log = io.TextIOWrapper(io.BufferedWriter(file), encoding="utf-8", line_buffering=True)
        sys.stdout = sys.stderr = log
        # A plug-in that ends the process would leave no message, and Snakemake would wait for the job's output.
        os._exit = partial(_refuse_exit, os.getpid())
        spec = snakemake.params.spec
        # Imported before the fingerprints are compared, so that the compared code is the code that runs. Modules that a
        # network imports when its training begins, about a second later, could still be edited in between.
        for module in spec["modules"]:
            importlib.import_module(module)
        if stage_fingerprint(spec["stage"], tuple(spec["modules"])) != snakemake.params.code:
            raise CodeChanged("the library was edited after this run was planned. Run the same command again.")
        print(f"{name}: started")
        yield snakemake
    except (Exception, SystemExit) as error:
        # The terminal first: on a full disk the log cannot be written either.
        what = f"{format_sampling(snakemake.params.spec)}{format_error(error, Path(snakemake.log[0]))}"
        where = f" (log: {log.name})" if log else ""
        print(f"{name}: {what}{where}", file=terminal)
        if log:
            with suppress(OSError):
                log.flush()
                file.room = MAX_LOG_BYTES
                if not is_explained(error):
                    traceback.print_exc(file=log)
                    log.flush()
                    file.room = MAX_LOG_BYTES
                print(f"{name}: {what}", file=log)
        raise SystemExit(1) from None
    finally:
        os._exit = exit_process
        sys.stdout, sys.stderr = sys.__stdout__, terminal
        if log:
            with suppress(OSError):
                log.close()


def format_sampling(spec: Mapping[str, Any]) -> str:
    """Return the beginning of an error message, such as "problems of seed = 3: ", from spec["sampling"], or ""."""
    sampling = ", ".join(f"{name} = {value}" for name, value in spec.get("sampling", {}).items())
    return f"problems of {sampling}: " if sampling else ""


def _refuse_exit(process: int, status: int) -> NoReturn:
    """Raise RuntimeError in the process of a job. In another process, a child of it, exit as ``os._exit`` does."""
    if os.getpid() != process:
        exit_process(status)
    raise RuntimeError(f"os._exit({status}) was called")


def is_explained(error: BaseException) -> bool:
    """Return True for an error whose message says what is wrong: one of ours, a full disk, or too little memory."""
    return type(error).__module__.startswith(f"{NAME}.") or is_disk_full(error) or is_out_of_memory(error)


def is_disk_full(error: BaseException) -> bool:
    """Return True for an error of a full disk or a quota that is used up."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


def is_out_of_memory(error: BaseException) -> bool:
    """Return True for an error of too little memory. The two texts are from torch's messages on the CPU and a GPU."""
    no_memory = isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM
    return no_memory or any(text in str(error) for text in ("can't allocate memory", "out of memory"))


def format_error(error: BaseException, log: Path) -> str:
    """Return the message of an error and, for a full disk or too little memory, what to do about it.

    For NumericalFailure, also save the trajectory beside the log, and name the file.
    """
    what = f"{type(error).__name__}: {one_line(error)}"
    if is_disk_full(error):
        return f"the disk is full ({what}). Make room and run the same command again; nothing is left half-written"
    if is_out_of_memory(error):
        return f"out of memory ({what}). Run fewer jobs at once (--cores) or split them (--config shards=...)"
    if isinstance(error, NumericalFailure):
        kept = log.with_suffix(".failed.npz")
        with suppress(OSError):
            save_arrays(kept, error.partial_trajectory)
            return f"{what}. The trajectory before that step is in {kept}"
    return what
