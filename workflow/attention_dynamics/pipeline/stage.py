"""The frame around every job: its log, the check that the code is what was planned, one line when it fails."""

import errno
import importlib
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from attention_dynamics.training import NumericalFailure
from attention_dynamics.pipeline import garbage
from attention_dynamics.pipeline.fingerprint import stage_fingerprint
from attention_dynamics.store import save_arrays

FULL = (errno.ENOSPC, errno.EDQUOT)
# What torch says on the CPU and on a GPU; others raise MemoryError, or an OSError with ENOMEM.
NO_MEMORY = ("can't allocate memory", "out of memory")


class CodeChanged(RuntimeError):
    """The library was edited between planning and the start of the job."""


# What takes long to import comes after this module: in scripts, or as a plug-in.
garbage.look_seldom()


@contextmanager
def stage(snakemake: Any) -> Iterator[Any]:
    """Run the body as the job described by Snakemake's ``snakemake`` object, which the body gets.

    Everything printed goes to the rule's log. An error puts its traceback there and one line on the terminal.
    """
    terminal, log = sys.stderr, None
    name = "/".join([snakemake.rule, *map(str, snakemake.wildcards)])
    try:
        # Opening and closing it may fail too: on a full disk.
        log = open(snakemake.log[0], "w", buffering=1)  # noqa: SIM115
        sys.stdout = sys.stderr = log
        # All code is imported before it is compared: what is still as planned then is what runs.
        for module in snakemake.params.spec.get("modules", []):
            importlib.import_module(module)
        if stage_fingerprint(snakemake.params.spec) != snakemake.params.code:
            raise CodeChanged("the library was edited after this run was planned. Run the same command again.")
        garbage.look_as_usual()
        print(f"{name}: started")
        yield snakemake
    except Exception as error:
        # The terminal first: on a full disk the log cannot be written either.
        what = f"{_drawn(snakemake.params.spec)}{_told(error, Path(snakemake.log[0]))}"
        where = f" (log: {log.name})" if log else ""
        print(f"{name}: {what}{where}", file=terminal)
        if log:
            with suppress(OSError):
                traceback.print_exc(file=log)
        raise SystemExit(1) from None
    finally:
        sys.stdout, sys.stderr = sys.__stdout__, terminal
        if log:
            with suppress(OSError):
                log.close()


def _drawn(spec: Mapping[str, Any]) -> str:
    """How the problems of a job were drawn."""
    draws = ", ".join(f"{name} = {value}" for name, value in spec.get("draws", {}).items())
    return f"problems of {draws}: " if draws else ""


def _told(error: Exception, log: Path) -> str:
    """What went wrong, and what to do about it where that is known."""
    what = f"{type(error).__name__}: {error}"
    if isinstance(error, OSError) and error.errno in FULL:
        return f"the disk is full ({what}). Make room and run the same command again; nothing is left half-written"
    no_memory = isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM
    if no_memory or any(said in str(error) for said in NO_MEMORY):
        return f"out of memory ({what}). Run fewer jobs at once (--cores) or split them (--config shards=...)"
    if isinstance(error, NumericalFailure):
        kept = log.with_suffix(".failed.npz")
        with suppress(OSError):
            save_arrays(kept, error.recorded)
            return f"{what}. To look closer: what was recorded before that is in {kept}"
    return what
