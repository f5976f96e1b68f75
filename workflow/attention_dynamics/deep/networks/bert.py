"""BERT as a classifier, to be fine-tuned (Fast rates Figs 1 and 4)."""

from typing import TYPE_CHECKING

from attention_dynamics.deep.networks.transformer import Transformer
from attention_dynamics.types import Count, Probability

if TYPE_CHECKING:
    from torch import nn


class Bert(Transformer, kind="bert"):
    """BERT (Devlin et al. 2019), which reads the class off the first piece, [CLS], through a layer with tanh.

    dropout: of hidden states and of attention's probabilities. positions: how many have embeddings, by default as many
    as the texts are long.
    """

    data = "texts"

    dropout: Probability = 0.1
    positions: Count | None = None

    def build(self, inputs: tuple[int, ...], classes: int) -> "nn.Module":
        """See ``Network.build``. Raises ValueError also for texts that are longer than there are positions."""
        from attention_dynamics.deep.language.bert_modules import ClassifierModule

        return ClassifierModule(self, inputs, classes)
