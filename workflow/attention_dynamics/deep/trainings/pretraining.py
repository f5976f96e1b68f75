"""What every training has that leaves the weights of an encoder to others."""

from typing import Any, ClassVar

from attention_dynamics.training import IncompatibleRunError, Training, need_data


class Pretraining(Training):
    """A training with "weights/<name>" in its trajectory, which ``TextClassification.pretrained`` may name.

    vocabularies: of the texts that it is for.
    """

    data: ClassVar[str] = "texts"
    provides_weights: ClassVar[bool] = True
    vocabularies: ClassVar[tuple[str, ...]] = ()

    @property
    def sizes(self) -> dict[str, Any]:
        """What the shapes of the weights depend on; those of the network that takes them over must be the same."""
        raise NotImplementedError

    def check(self, shape: Any) -> None:
        """Raise IncompatibleRunError also for texts of another vocabulary."""
        need_data(shape, self.data)
        if shape.vocabulary not in self.vocabularies:
            allowed = ", ".join(self.vocabularies)
            message = f"the problem has the vocabulary {shape.vocabulary!r}, which is not one of {allowed}"
            raise IncompatibleRunError("problem", message)
