"""Base class of trainings of Y and Z with several pairs of learning rates."""

from typing import Any, Self

from pydantic import model_validator

from attention_dynamics.training import Training
from attention_dynamics.types import Positives


class LearningRatePairs(Training):
    """Base class for training the weights Y and Z of Scan and snap with each pair (eta_Y[k], eta_Z[k]) of rates.

    Trajectories have the shape (records, problems, pairs, ...), with pairs on the axis that otherwise has the starts.
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
