"""The encoder that classifies texts into two classes (Mirror descent, IMDb)."""

from typing import TYPE_CHECKING

from attention_dynamics.deep.networks.transformer import Transformer

if TYPE_CHECKING:
    from torch import nn


class TextClassifier(Transformer, kind="text_classifier"):
    """An encoder without biases that reads one of two classes off the first token, [CLS]."""

    data = "texts"
    observable = ("weights", "sentences")
    classes = 2

    def build(self, inputs: tuple[int, ...], classes: int) -> "nn.Module":
        """See ``Network.build``."""
        from attention_dynamics.deep.language.text_classifier_module import TextClassifierModule

        return TextClassifierModule(self, inputs)
