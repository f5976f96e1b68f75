"""Base class of trainings that provide the weights of an encoder."""

from typing import Any, ClassVar

from attention_dynamics.training import IncompatibleRunError, Training, require_data


class Pretraining(Training):
    """A training with "weights/<name>" in its trajectory, which ``TextClassification.pretrained`` may name.

    vocabularies: of the texts that it is for.
    """

    data: ClassVar[str] = "texts"
    provides_weights: ClassVar[bool] = True
    vocabularies: ClassVar[tuple[str, ...]] = ()

    @property
    def sizes(self) -> dict[str, Any]:
        """Settings that determine the shapes of the weights, as ``Network.sizes`` of the network that they are for."""
        raise NotImplementedError

    def check(self, shape: Any) -> None:
        """Raise IncompatibleRunError also for texts of another vocabulary."""
        require_data(shape, self.data)
        if shape.vocabulary not in self.vocabularies:
            allowed = ", ".join(self.vocabularies)
            message = f"the problem has the vocabulary {shape.vocabulary!r}, which is not one of {allowed}"
            raise IncompatibleRunError("problem", message)
