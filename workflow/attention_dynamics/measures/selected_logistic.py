"""Logistic probability of the selected tokens in joint training (Mirror descent, joint optimisation)."""

import numpy as np
from scipy.special import expit

from attention_dynamics.measures.rates import products
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run

SERIES = ("selected_logistic",)


def measure(run: Run) -> dict[str, Array]:
    """Mean over the inputs of 1 / (1 + exp(-Y_i v'x_i,selected)), with the tokens selected at a record and the head of
    the next one, as the published code evaluates it after its step; NaN at the last record.

    Raises ValueError for a run that trains no head or skips iterations in its records.
    """
    if "v" not in run.trajectory:
        raise ValueError("selected_logistic needs a run that trains the head")
    if (np.diff(run.steps) > 1).any():
        raise ValueError("selected_logistic needs every iterate recorded: record_every: 1")
    problem = run.problem
    selected = products(problem.keys, run.trajectory["p"]).argmax(-1)[..., None]
    scores = problem.labels[:, None, :, None] * products(problem.tokens, run.trajectory["v"])
    after = np.full_like(scores, np.nan)
    after[:-1] = scores[1:]
    return {"selected_logistic": expit(np.take_along_axis(after, selected, -1)[..., 0]).mean(-1)}
