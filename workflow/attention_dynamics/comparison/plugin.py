"""Cells of optimizers that others wrote: whatever is wrong with one is the status of its cells, and of no other."""

import importlib.util
import sys
import traceback
from pathlib import Path

from attention_dynamics.comparison.cell import Arrays, compute_cell, failed_cell
from attention_dynamics.comparison.entry import Entry
from attention_dynamics.problems.problem import Problem
from attention_dynamics.progress import log, one_line
from attention_dynamics.registry import NAME, import_failure


def compute_plugin_cell(kind: str, problem: Problem, steps: int, tuning: int = 0, file: str | None = None) -> Arrays:
    """Return the cell of an optimizer of which only the kind is known; see ``compute_cell`` and ``Entry.of_kind``.

    file: its module, where it is not in the folder of plug-ins.
    """
    try:
        if file:
            _import_file(kind, Path(file))
        entry = Entry.of_kind(kind)
    except ImportError as error:
        log(traceback.format_exc())
        # Without the folder, so that results are the same bytes in every folder.
        message = one_line(error).replace(f"{Path.cwd()}/", "")
        return failed_cell(None, len(problem.tokens), f"error: {message}")
    except ValueError as error:
        return failed_cell(None, len(problem.tokens), f"not applicable: {one_line(error)}")
    return compute_cell(entry, problem, steps, tuning)


def _import_file(kind: str, file: Path) -> None:
    """Import a file as the module of a kind. Raises ImportError if that fails for any reason."""
    name = f"{NAME}.optim.{kind}"
    try:
        spec = importlib.util.spec_from_file_location(name, file)
        assert spec is not None and spec.loader is not None  # noqa: PT018 (for the type checker)
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        sys.modules.pop(name, None)
        raise import_failure(str(file), error) from error
