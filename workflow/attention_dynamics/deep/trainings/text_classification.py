"""Networks on texts with classes, trained from scratch or fine-tuned."""

from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from attention_dynamics.deep.trainings.deep_training import EpochTraining
from attention_dynamics.training import NO_CONTEXT, IncompatibleRunError, JobContext
from attention_dynamics.types import Name

if TYPE_CHECKING:
    from torch import nn

    from attention_dynamics.deep.problems.encoded_texts import EncodedTexts
    from attention_dynamics.deep.problems.texts import TextShape


class TextClassification(EpochTraining, kind="text_classification"):
    """A network on texts with classes.

    pretrained: the run on the same problem that the weights of its encoder come from; without one they are random.
    """

    data = "texts"

    pretrained: Name | None = None

    def check(self, shape: "TextShape") -> None:
        """Raise IncompatibleRunError also for a network with another number of classes."""
        super().check(shape)
        if self.network.classes not in (None, shape.classes):
            message = f"{self.network.kind} has {self.network.classes} classes, but the problem has {shape.classes}"
            raise IncompatibleRunError("network", message)

    def train(self, problem: "EncodedTexts", context: JobContext = NO_CONTEXT) -> dict[str, NDArray[Any]]:
        """Return the trajectory of ``train_grid``, with the observations of ``ClassifierObserver``.

        Raises ValueError also where ``context.pretrained`` has the weights of another encoder.
        """
        from attention_dynamics.deep.language.encoder_weights import put_encoder_weights
        from attention_dynamics.deep.language.text_observers import ClassifierObserver
        from attention_dynamics.deep.training.grid import train_grid
        from attention_dynamics.deep.training.training_checks import Split

        train = Split(problem.train_tokens, problem.train_labels)
        test = Split(problem.test_tokens, problem.test_labels)

        def build() -> "nn.Module":
            model = self.network.build((*train.inputs.shape[1:], len(problem.words)), len(problem.classes))
            if context.pretrained:
                put_encoder_weights(model, context.pretrained)
            return model

        sentences = problem.sentences.tokens if problem.sentences else None
        observe = ClassifierObserver(self.observe, sentences, context.device)
        return train_grid(self, context, {"train": train, "test": test}, build, observe=observe)
