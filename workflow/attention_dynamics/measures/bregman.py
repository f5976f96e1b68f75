"""Directional Bregman divergence from each reference direction (Mirror descent, Definition of D_psi)."""

import numpy as np

from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run

SERIES = ("bregman_{reference}", "lp_norm_{parameter}")


def measure(run: Run) -> dict[str, Array]:
    """With p the exponent of the run's mirror descent, for every reference that is about a recorded parameter.

    bregman: D(w_mm / |w_mm|_p, w / |w|_p) = 1 - <m(w / |w|_p), w_mm / |w_mm|_p> with m(w) = sign(w) |w|^(p - 1), also
    where the reference is an SVM in another norm; NaN at the origin. For p = 2 it is one minus the cosine.
    lp_norm: |w|_p of every parameter. Raises ValueError for a run of an optimizer without an exponent.
    """
    exponents = {name: _exponent(run, name) for name in run.trajectory if name != "step"}
    norms = {name: lp_norm(run.trajectory[name], p) for name, p in exponents.items()}
    series = {f"lp_norm_{name}": values[..., 0] for name, values in norms.items()}
    for name, reference in run.references.items():
        if (parameter := str(reference["parameter"])) in run.trajectory:
            p, size = exponents[parameter], norms[parameter]
            unit = run.trajectory[parameter] / np.where(size > 0, size, np.nan)
            weights = reference["weights"][:, None]
            target = weights / lp_norm(weights, p)
            series[f"bregman_{name}"] = 1 - (np.sign(unit) * np.abs(unit) ** (p - 1) * target).sum(-1)
    return series


def lp_norm(values: Array, exponent: Array) -> Array:
    """|w|_p over the last axis, which is kept with length one. exponent: broadcast against (..., 1)."""
    largest = np.abs(values).max(-1, keepdims=True)
    relative = np.abs(values) / np.where(largest > 0, largest, 1.0)
    return largest * (relative**exponent).sum(-1, keepdims=True) ** (1 / exponent)


def _exponent(run: Run, parameter: str) -> Array:
    """p of the optimizer of a parameter, (starts or 1, 1)."""
    optimizer = run.settings["optimizer"]
    if parameter == "v" and run.settings["head_optimizer"]:
        optimizer = run.settings["head_optimizer"]
    if "exponent" not in optimizer:
        raise ValueError(f"bregman needs a run of mirror_descent, not {optimizer['kind']!r}")
    return np.atleast_1d(np.array(optimizer["exponent"], dtype=float))[:, None]
