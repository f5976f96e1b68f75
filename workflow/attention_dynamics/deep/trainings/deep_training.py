"""Base classes of the trainings of networks, whose modules import torch only in ``train``."""

from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import model_validator
from pydantic.types import Strict

from attention_dynamics.deep.networks.network import Network
from attention_dynamics.deep.optim.deep_optimizer import DeepOptimizer
from attention_dynamics.deep.training.schedule import Schedule
from attention_dynamics.registry import Frozen
from attention_dynamics.training import Training, is_recorded, recorded_steps, require_data
from attention_dynamics.types import Count, Probability, Seeds


class DeepTraining(Training):
    """Trainings of a network: for every point of the optimizer's grid one for each of the seeds.

    seeds: of initial weights, dropout and order of the data. observe: observations beside losses and accuracies.
    network_data: the data that networks of this kind of training read, where they are not ``data``.
    """

    uses_device: ClassVar[bool] = True
    network_data: ClassVar[str] = ""

    network: Network
    deep_optimizer: DeepOptimizer
    batch_size: Count
    seeds: Seeds = (0,)
    observe: Annotated[tuple[Literal["cls_attention", "sentences", "weights"], ...], Strict(False)] = ()

    @model_validator(mode="after")
    def _check_network(self) -> Self:
        wanted = self.network_data or self.data
        if self.network.data != wanted:
            raise ValueError(
                f"network: {self.network.kind} reads {self.network.data}, but this kind of run trains on {wanted}"
            )
        for name in self.observe:
            if name not in self.network.observable:
                there = ", ".join(self.network.observable) or "nothing"
                raise ValueError(f"observe: network {self.network.kind} has no {name}; it has {there}")
        return self

    def schedule(self, seed: int) -> Schedule:
        """Return the numbers of the training of a seed, whose snapshots are the epochs of the records."""
        raise NotImplementedError

    @property
    def sizes(self) -> dict[str, Any]:
        """Settings that determine the shapes of the network's weights."""
        return self.network.sizes

    def columns(self, shape: Any) -> int:
        """Return the number of trainings."""
        return len(self.deep_optimizer.points) * len(self.seeds)

    def check(self, shape: Any) -> None:
        """Raise IncompatibleRunError unless the training fits a problem of this shape."""
        require_data(shape, self.data)
        super().check(shape)


class StopAt(Frozen):
    """Condition for the early end of a training.

    train_accuracy: the share of right answers over the batches of an epoch, while it trains.
    """

    train_accuracy: Probability


class EpochTraining(DeepTraining):
    """Training for a number of passes through the data.

    record_every: at which epochs the network is evaluated and observed. stop_at: end a training after the epoch that
    reaches this; its later records are those of its end.
    """

    epochs: Count
    record_every: Count = 1
    stop_at: StopAt | None = None

    def schedule(self, seed: int) -> Schedule:
        """See ``DeepTraining.schedule``."""
        return Schedule(
            epochs=self.epochs,
            batch_size=self.batch_size,
            seed=seed,
            evaluate_every=self.record_every,
            snapshots=tuple(recorded_steps(self.epochs, self.record_every)),
            stop_accuracy=self.stop_at.train_accuracy if self.stop_at else None,
        )

    def records_step(self, step: float) -> bool:
        """Return whether an epoch is recorded."""
        return is_recorded(step, self.epochs, self.record_every)

    @property
    def record_schedule(self) -> str:
        """The recorded epochs, for messages."""
        return f"epochs 0 to {self.epochs} by {self.record_every}"
