"""The frame around every job: its log, the check that the code is what was planned, one line when it fails."""

import importlib
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from attention_dynamics.pipeline.fingerprint import stage_fingerprint


class CodeChanged(RuntimeError):
    """The library was edited between planning and the start of the job."""


@contextmanager
def stage(snakemake: Any) -> Iterator[Any]:
    """Run the body as the job described by Snakemake's ``snakemake`` object, which the body gets.

    Everything printed goes to the rule's log. An error puts its traceback there and one line on the terminal.
    """
    terminal = sys.stderr
    name = "/".join([snakemake.rule, *map(str, snakemake.wildcards)])
    with open(snakemake.log[0], "w", buffering=1) as log:
        sys.stdout = sys.stderr = log
        try:
            # All code is imported before it is compared: what is still as planned then is what runs.
            for module in snakemake.params.spec.get("modules", []):
                importlib.import_module(module)
            if stage_fingerprint(snakemake.rule, snakemake.params.spec) != snakemake.params.code:
                raise CodeChanged("the library was edited after this run was planned. Run the same command again.")
            print(f"{name}: started")
            yield snakemake
        except Exception as error:
            traceback.print_exc()
            print(f"{name}: {type(error).__name__}: {error} (log: {snakemake.log[0]})", file=terminal)
            sys.stdout, sys.stderr = sys.__stdout__, terminal
            raise SystemExit(1) from None
        finally:
            sys.stdout, sys.stderr = sys.__stdout__, terminal
