"""Numbers of an independent computation that runs must reproduce: papers/<paper>/<file>_expected.csv.

    figure,run,series,start,step,statistic,value,within,source
    fig4b,normalized_step,norm_p,,199,,19.78974361,2e-08,loop in 40 digits
    fig4a,constant_step,softmax_optimal,,0-1000,first above 0.9,75,0,loop in 40 digits
    fig1c,several,gmm.direction,1,,,0.19857127,1e-09,cvxopt

series: a measured series, or ``<reference>.<quantity>`` of a max-margin program (``margins.reference.QUANTITIES``).
start: index, from 0, of the column of the series (all starts of problem 0, then of problem 1, ...) or of the entry of
the quantity; empty if there is only one. step: a recorded step; with a statistic, also the first and the last (0-200).
statistic: a key of STATISTICS, or one of AT_LEVEL and a level; empty for the value at the step. within: the largest
deviation allowed. source: what computed the number. All numbers of a figure are one claim. The computations are in
tests/independent.
"""

import csv
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from attention_dynamics.bounded_files import read_bounded
from attention_dynamics.choices import format_wrong_choice
from attention_dynamics.claims.claim import DERIVED, FULL_SCALES, Claim
from attention_dynamics.claims.expectation import Check, at_most, check
from attention_dynamics.problems.problem import Array
from attention_dynamics.registry import PACKAGE, plugin_folder
from attention_dynamics.run import Run, Runs
from attention_dynamics.series.series import EndedError
from attention_dynamics.series.statistics import (
    count_above,
    first_step_above,
    largest,
    slope,
    smallest,
    step_of_smallest,
)

COLUMNS = ("figure", "run", "series", "start", "step", "statistic", "value", "within", "source")
MAX_BYTES = 1_000_000
# Name of the claim that the runs of a figure reproduce its expected numbers.
EXPECTED_NUMBERS = "expected_numbers"
# Largest number of disagreeing values that the ledger lists.
NAMED = 5
# Name -> statistic of a series over the given steps, one number for each column. Names in AT_LEVEL are followed by a
# level in the file: "first above 0.9".
STATISTICS: dict[str, Callable[..., Array]] = {
    "": lambda series: series.values[-1],
    "largest": largest,
    "smallest": smallest,
    "step of smallest": step_of_smallest,
    "slope": slope,
    "slope log": partial(slope, time="log"),
    "power": lambda series: slope(series.log(), time="log"),
    "power log": lambda series: slope(series.log(), time="log_log"),
}
AT_LEVEL: dict[str, Callable[..., Array]] = {
    "first above": first_step_above,
    # Counted over all columns together, so that the result is a single number.
    "count above": lambda series, level: np.array([count_above(series.values[-1], level)]),
}


class Expected(NamedTuple):
    """A row of a file of expected numbers; the docstring of this module describes the columns.

    place: file and line, for messages. steps: (), (step,) or (first, last). level: the level of a statistic in
    AT_LEVEL; None for other statistics.
    """

    place: str
    figure: str
    run: str
    series: str
    start: int | None
    steps: tuple[float, ...]
    statistic: str
    level: float | None
    value: float
    within: float
    source: str

    def __str__(self) -> str:
        """Return a description of the number, such as "norm_p of normalized_step at step 199"."""
        start = "" if self.start is None else f"[{self.start}]"
        level = "" if self.level is None else f" {self.level:g}"
        statistic = f", {self.statistic}{level}" if self.statistic else ""
        steps = f" at step {' to '.join(f'{step:.12g}' for step in self.steps)}" if self.steps else ""
        return f"{self.series}{start} of {self.run}{steps}{statistic}"

    def deviation(self, run: Run) -> float | None:
        """Return |number of the run - value| / within.

        It is 0 if both are equal; otherwise infinity if the number is NaN or ``within`` is 0. None if the run was
        shortened or changed and does not have the step or start, or has several starts and the row names none. Raises
        ValueError, with file and line, for an unknown series, reference or quantity.
        """
        try:
            values = self._measure(run)
        except ValueError as error:
            raise ValueError(f"{self.place}: {error}") from None
        if (self.start is None and len(values) > 1) or (start := self.start or 0) >= len(values):
            return None
        if values[start] == self.value:
            return 0.0
        difference = abs(values[start] - self.value)
        return float(difference / self.within) if self.within and not np.isnan(difference) else np.inf

    def _measure(self, run: Run) -> Array:
        """Return the statistic of every column of the series, or every entry of the quantity, (k,).

        It is empty, k = 0, if the first or the last step was not recorded.
        """
        name, _, quantity = self.series.partition(".")
        if quantity:
            return run.reference(name, quantity)
        series = run[name]
        if self.steps:
            if not np.isin(self.steps, series.steps).all():
                return np.empty(0)
            series = series.during(self.steps[0], self.steps[-1])
        if self.level is None:
            return STATISTICS[self.statistic](series)
        return AT_LEVEL[self.statistic](series, self.level)


def expected_file(paper: str, file: str) -> Path | None:
    """Return the path of papers/<paper>/<file>_expected.csv in the library, else among the plug-ins, else None."""
    folders = [folder / "papers" / paper for folder in (PACKAGE, plugin_folder()) if folder]
    return next((one for folder in folders if (one := folder / f"{file}_expected.csv").is_file()), None)


def read_expected(file: Path) -> list[Expected]:
    """Return the rows of a file of expected numbers. Raises ValueError, with file and line, for wrong contents."""
    table = csv.DictReader(read_bounded(file, MAX_BYTES).decode().splitlines())
    if tuple(table.fieldnames or ()) != COLUMNS:
        raise ValueError(f"{file}: line 1: the columns must be {','.join(COLUMNS)}")
    return [_read_row(f"{file}: line {table.line_num}", row) for row in table]


def _read_row(place: str, row: Mapping[str, str]) -> Expected:
    name, _, level = row["statistic"].rpartition(" ")
    try:
        if name not in AT_LEVEL:
            name, level = row["statistic"], ""
            if name not in STATISTICS:
                known = [*filter(None, STATISTICS), *(f"{one} <level>" for one in AT_LEVEL)]
                raise ValueError(f"statistic: {format_wrong_choice(name, known)}")
        steps = tuple(_number("step", step) for step in row["step"].split("-") if step)
        if "." not in row["series"] and len(steps) not in ((1, 2) if name else (1,)):
            wanted = "one step, or the first and the last of several" if name else "one step"
            raise ValueError(f"step: {wanted} is needed, got {row['step']!r}")
        start = _number("start", row["start"]) if row["start"] else None
        value, within = _number("value", row["value"]), _number("within", row["within"])
        if not 0 <= within < np.inf or not (start is None or (start.is_integer() and 0 <= start < 10**9)):
            raise ValueError("within must be finite and at least 0, start a whole number from 0 on")
        return Expected(
            place, row["figure"], row["run"], row["series"], None if start is None else int(start), steps, name,
            _number("statistic", level) if level else None, value, within, row["source"],
        )  # fmt: skip
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from None


def _number(column: str, text: str | None) -> float:
    """Return the number in a cell. Raises ValueError, naming the column, for NaN and for a text that is no number."""
    try:
        if (number := float(text or "")) == number:
            return number
    except ValueError:
        pass
    raise ValueError(f"{column}: {text!r} is not a number")


def expected_claims(file: Path) -> list[Claim]:
    """Return a claim for each figure in a file: its runs reproduce the numbers. Raises as ``read_expected``."""
    by_figure: dict[str, list[Expected]] = {}
    for row in read_expected(file):
        by_figure.setdefault(row.figure, []).append(row)
    return [_claim(figure, rows) for figure, rows in by_figure.items()]


def _claim(figure: str, rows: list[Expected]) -> Claim:
    def agree(runs: Runs) -> Check:
        return compare(rows, runs)

    sources = "; ".join(dict.fromkeys(row.source for row in rows))
    return Claim(
        figure=figure, name=EXPECTED_NUMBERS, basis=DERIVED, scales=FULL_SCALES, function=agree,
        says=f"Numbers of an independent computation are reproduced, {len(rows)} in all: largest deviation, as a share "
        "of its tolerance",
        source=sources,
    )  # fmt: skip


def compare(rows: Iterable[Expected], runs: Runs) -> Check:
    """Return the check that the largest deviation of the expected numbers of a figure is at most 1.

    The deviation is in units of ``within``. The remark of the check counts the numbers that agree. It names up to NAMED
    numbers that disagree or, if all agree, the one that deviates most.

    Raises EndedError if no row can be compared, as when the runs end before all of the steps.
    Raises ValueError for an unknown run and, with file and line, for an unknown series, reference or quantity.
    """
    found = {row: row.deviation(runs[row.run]) for row in rows}
    deviations = {row: share for row, share in found.items() if share is not None}
    if not deviations:
        raise EndedError("the runs do not reach the steps")
    worst = max(deviations, key=lambda row: deviations[row])
    wrong = [str(row) for row, share in deviations.items() if share > 1]
    missing = [f"{len(found) - len(deviations)} not reached"] if len(found) > len(deviations) else []
    more = f" and {len(wrong) - NAMED} more" if len(wrong) > NAMED else ""
    about = f"not: {', '.join(wrong[:NAMED])}{more}" if wrong else f"worst: {worst}"
    remark = "; ".join([f"{len(deviations) - len(wrong)} of {len(deviations)} agree", *missing, about])
    return check(deviations[worst], at_most(1))._replace(remark=remark)
