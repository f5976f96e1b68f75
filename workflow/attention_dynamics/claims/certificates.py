"""A table of the certificates of all max-margin programs. They check the solvers; they are not claims about papers."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from attention_dynamics.margins.max_margin import CERTIFICATE_TOLERANCE
from attention_dynamics.store import DamagedFile, load_arrays

COLUMNS = ["paper", "kind", "solutions", "infeasible", "certified", "gap", "residual", "infeasibility"]
ABOUT = (
    "Every solution that figures use comes with a certificate: its relative duality gap and the largest violation of "
    "the optimality conditions (residual). So does every answer that a program is infeasible: the residual of Farkas' "
    "conditions. An answer is certified if these are at most 1e-8. Certificates check the solvers, and are not counted "
    "among the claims."
)
QUANTITIES = ("feasible", "gap", "residual", "infeasibility")

Answers = dict[str, NDArray[Any]]


def summarize(programs: Sequence[Mapping[str, Any]], files: Iterable[str | Path]) -> pd.DataFrame:
    """Return a row for every paper and kind of program, with the columns COLUMNS.

    Locally-optimal max-margin directions that are enumerated (``margins.references``) are not counted.

    solutions, infeasible: the numbers of programs with and without a solution.
    gap, residual: the largest |gap| and residual of the solutions (``margins.max_margin.Solution``); NaN without one.
    infeasibility: the largest residual of the infeasible programs (``margins.max_margin.Infeasible``); NaN if all are
        feasible.
    certified: the number of certified programs. A solution is certified if its |gap| and its residual are at most
        CERTIFICATE_TOLERANCE, and the answer that a program is infeasible if its residual is.

    files: the files that the stages svm and selected_svm wrote.
    programs: for each file, its "paper" and its "kinds", a mapping from the names of references to kinds of programs.
    """
    answers: dict[tuple[str, str], list[Answers]] = {}
    for program, file in zip(programs, files, strict=True):
        arrays = load_arrays(file)
        for name, kind in program["kinds"].items():
            answer = {quantity: arrays[f"references/{name}/{quantity}"] for quantity in QUANTITIES}
            answers.setdefault((program["paper"], kind), []).append(answer)
    return pd.DataFrame([[*key, *_summary(parts)] for key, parts in answers.items()], columns=COLUMNS)


def _summary(parts: Sequence[Answers]) -> list[float]:
    feasible, gap, residual, infeasibility = (np.concatenate([part[name] for part in parts]) for name in QUANTITIES)
    # The absolute value, because rounding can make the gap slightly negative.
    gap, residual = np.abs(gap[feasible]), residual[feasible]
    infeasibility = infeasibility[np.isfinite(infeasibility)]
    errors = np.concatenate([np.maximum(gap, residual), infeasibility])
    counts = [len(gap), len(infeasibility), np.count_nonzero(errors <= CERTIFICATE_TOLERANCE)]
    return [*counts, *(float(values.max()) if values.size else np.nan for values in (gap, residual, infeasibility))]


def read_certificates(file: str | Path) -> pd.DataFrame:
    """Return the table of ``summarize`` in a CSV file. Raises DamagedFile if it cannot be read or lacks a column."""
    try:
        table = pd.read_csv(file)
    except (OSError, ValueError) as error:
        raise DamagedFile(Path(file), f"it cannot be read ({' '.join(str(error).split())})") from None
    if missing := [name for name in COLUMNS if name not in table]:
        raise DamagedFile(Path(file), f"it has no column {', '.join(missing)}")
    return table


def format_error(error: float) -> str:
    """Return a gap or residual of the table as text: two significant digits, or a dash for NaN."""
    return "–" if np.isnan(error) else f"{error:.1e}"
