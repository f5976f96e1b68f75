"""From a claim and the runs it is about to a verdict."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from attention_dynamics.claims import statistics
from attention_dynamics.claims.expectation import Expectation
from attention_dynamics.run import Run


def measure_claim(measured: Mapping[str, Any], runs: Mapping[str, Run]) -> list[float]:
    """The numbers that a claim is about.

    measured: the claim's block, either {run, series, statistic, ...} (optionally ``minus`` another series, and only
        some ``trajectories``) or {run, reference, quantity}.
    Raises KeyError or ValueError where there is no such run, series, step, reference or quantity.
    """
    run = runs[measured["run"]]
    if "quantity" in measured:
        source = run.lmm_set if measured["reference"] == "lmm_set" else run.references[measured["reference"]]
        if measured["quantity"] not in source:
            raise ValueError(f"reference {measured['reference']} has no {measured['quantity']}, only {sorted(source)}")
        return np.asarray(source[measured["quantity"]], dtype=float).ravel().tolist()
    arguments = dict(measured)
    for name in ("run", "series", "minus", "trajectories", "statistic"):
        arguments.pop(name, None)
    values = _series(run, measured["series"])
    if measured.get("minus"):
        values = values - _series(run, measured["minus"])
    if measured.get("trajectories"):
        values = values[:, measured["trajectories"]]
    return getattr(statistics, measured["statistic"])(run.steps, values, **arguments).tolist()


def _series(run: Run, name: str) -> np.ndarray:
    series = run.series[name]
    return series.reshape(len(series), -1)


def judge(claim: Mapping[str, Any], runs: Mapping[str, Run], scale: str) -> dict[str, Any]:
    """``measured`` (numbers) and ``verdict``: held or failed; not_judged at a scale that the claim does not name."""
    if scale not in claim["scales"]:
        return {"measured": [], "verdict": "not_judged"}
    measured = measure_claim(claim["measured"], runs)
    held = Expectation(**claim["expected"]).holds(measured)
    return {"measured": measured, "verdict": "held" if held else "failed"}
