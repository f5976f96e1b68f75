"""From a claim and the runs it is about to a verdict."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.claims import statistics
from attention_dynamics.claims.estimate import Estimate
from attention_dynamics.claims.expectation import Expectation
from attention_dynamics.claims.fits import extreme
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run

# Keys of a claim's block that say what is measured; the others are arguments of the statistic.
SELECTING = (
    "run", "series", "minus", "versus", "trajectories", "starts", "where", "among", "by", "each_start", "differences",
    "statistic",
)  # fmt: skip


def measure_claim(measured: Mapping[str, Any], runs: Mapping[str, Run]) -> list[float | Estimate]:
    """The numbers that a claim is about.

    measured: the claim's block, either {run, series, statistic, ...}, see ``config.schema.Series``, or
        {run, reference, quantity}.
    Raises KeyError or ValueError where there is no such run, series, step, reference or quantity, and ValueError where
    the block leaves nothing to measure.
    """
    run = runs[measured["run"]]
    if "quantity" in measured:
        source = run.lmm_set if measured["reference"] == "lmm_set" else run.references[measured["reference"]]
        if measured["quantity"] not in source:
            raise ValueError(f"reference {measured['reference']} has no {measured['quantity']}, only {sorted(source)}")
        numbers = np.asarray(source[measured["quantity"]], dtype=float).ravel()
        return extreme(numbers, measured.get("over", "each")).tolist()
    numbers = _numbers(run, measured)
    if measured.get("differences"):
        return np.diff([_value(number) for number in numbers]).tolist()
    if versus := measured.get("versus"):
        own, other = (np.array([_value(x) for x in of]) for of in (numbers, _numbers(runs[versus["run"]], measured)))
        if own.shape != other.shape:
            raise ValueError(f"versus: {len(own)} numbers of {measured['run']}, {len(other)} of {versus['run']}")
        return (own / other if versus["compare"] == "ratio" else own - other).tolist()
    return numbers


def _numbers(run: Run, measured: Mapping[str, Any]) -> list[float | Estimate]:
    """The statistic of every group of a run's trajectories, NaN where no trajectory is among those asked for."""
    values = _series(run, measured["series"])
    if measured.get("minus"):
        values = values - _beside(run, measured, "minus")
    arguments = {name: value for name, value in measured.items() if name not in SELECTING}
    statistic = getattr(statistics, measured["statistic"])
    numbers: list[float | Estimate] = []
    for columns in _columns(run, measured, values.shape[1]):
        if not len(columns) and measured.get("among"):
            numbers.append(math.nan)
            continue
        if not len(columns):
            raise ValueError(f"no trajectory is left of series {measured['series']}")
        if measured.get("against"):
            arguments["against"] = _beside(run, measured, "against")[:, columns]
        answer = statistic(run.steps, values[:, columns], **arguments)
        numbers += [answer] if isinstance(answer, Estimate) else answer.tolist()
    return numbers


def _series(run: Run, name: str) -> Array:
    series = run.series[name]
    return series.reshape(len(series), -1)


def _beside(run: Run, measured: Mapping[str, Any], key: str) -> Array:
    """Another series with the columns of the one that a claim is about; a trajectory's number beside all of its own."""
    shape, other = run.series[measured["series"]].shape[1:], run.series[measured[key]]
    if other.shape[1:] not in (shape, shape[:2], (1, 1)):
        what = f"{measured['series']} has {shape} numbers per record, {measured[key]} {other.shape[1:]}"
        raise ValueError(f"{key}: {what}; they do not fit")
    filled = other.reshape(*other.shape, *(1 for _ in shape[other.ndim - 1 :]))
    return np.broadcast_to(filled, (len(other), *shape)).reshape(len(other), -1)


def _columns(run: Run, measured: Mapping[str, Any], count: int) -> list[NDArray[np.int64]]:
    """The columns of a series that a claim is about, a list for each group."""
    _, problems, starts, *inner = run.series[measured["series"]].shape
    trajectory = np.arange(count) // math.prod(inner)
    listed = measured.get("trajectories") or range(problems * starts)
    if max(listed) >= problems * starts:
        raise ValueError(f"trajectories: series {measured['series']} has {problems * starts}, counted from 0")
    columns = np.concatenate([np.flatnonzero(trajectory == number) for number in listed])
    if measured.get("starts"):
        columns = columns[np.isin(trajectory[columns] % starts, measured["starts"])]

    def setting(name: str) -> Array:
        values = run.problem.settings[name]
        return values.repeat(count // len(values))

    for name, wanted in (measured.get("where") or {}).items():
        columns = columns[np.isin(setting(name)[columns], wanted)]
    groups = [columns]
    if measured.get("each_start"):
        within = columns % (count // problems)
        groups = [columns[within == k] for k in np.unique(within)]
    if measured.get("by"):
        values = setting(measured["by"])[columns]
        groups = [columns[values == value] for value in np.unique(values)]
    if measured.get("among"):
        inside = _beside(run, measured, "among")[-1] == 1
        groups = [group[inside[group]] for group in groups]
    return groups


def _value(number: float | Estimate) -> float:
    return number.value if isinstance(number, Estimate) else number


def judge(claim: Mapping[str, Any], runs: Mapping[str, Run], scale: str, data: str | None = None) -> dict[str, Any]:
    """``measured`` (numbers), ``interval`` ([low, high] of each that is an estimate) and ``verdict``.

    data: the source of the data sets that the runs read, if any. verdict: held or failed; reported for a claim that
        only shows what is measured; not_judged at a scale or with data that the claim does not name.
    """
    if scale not in claim["scales"] or data not in (None, *claim["data"]):
        return {"measured": [], "interval": [], "verdict": "not_judged"}
    numbers = measure_claim(claim["measured"], runs)
    measured = [_value(number) for number in numbers]
    estimates = [number for number in numbers if isinstance(number, Estimate)]
    interval = [[estimate.low, estimate.high] for estimate in estimates]
    expectation = Expectation(**claim["expected"])
    if expectation.reported:
        return {"measured": measured, "interval": interval, "verdict": "reported"}
    held = expectation.holds(measured, [estimate.size for estimate in estimates])
    return {"measured": measured, "interval": interval, "verdict": "held" if held else "failed"}
