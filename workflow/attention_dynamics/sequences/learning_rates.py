"""Base class of trainings of Y and Z with several pairs of learning rates."""

from typing import Any, Self

from pydantic import model_validator

from attention_dynamics.training import Training
from attention_dynamics.types import Positives


class LearningRatePairs(Training):
    """Training of Y and Z, once for each pair (eta_Y[k], eta_Z[k]) of learning rates.

    Trajectories have an axis of pairs instead of the axis of starts: (records, problems, pairs, ...).
    """

    eta_Y: Positives  # noqa: N815
    eta_Z: Positives  # noqa: N815

    @model_validator(mode="after")
    def _check_pairs(self) -> Self:
        if len(self.eta_Z) != len(self.eta_Y):
            raise ValueError(f"eta_Z: needs as many learning rates as eta_Y, {len(self.eta_Y)}, got {len(self.eta_Z)}")
        return self

    def columns(self, shape: Any) -> int:
        return len(self.eta_Y)
