"""The times at which closed forms of the theory are evaluated (``attention_dynamics.theory.growth_laws``)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.sequences.vocabulary import Vocabulary
from attention_dynamics.theory.growth_laws import scanning_end, snapping_start

UNITS = {
    "step": lambda eta_Y, M, K: np.ones_like(eta_Y),
    "scanning_end": scanning_end,
    "snapping_start": snapping_start,
}


def train(problem: Vocabulary, spec: Mapping[str, Any]) -> dict[str, NDArray]:
    """The records: "step", (records,), in the unit asked for, and "t", (records, 1, learning rates), in training steps.

    spec: eta_Y, until, points, unit.
    """
    # Multiplied first: what should be an integer is one.
    step = np.arange(spec["points"] + 1) * spec["until"] / spec["points"]
    unit = UNITS[spec["unit"]](np.array(spec["eta_Y"]), problem.M, problem.K)
    return {"step": step, "t": step[:, None, None] * unit}
