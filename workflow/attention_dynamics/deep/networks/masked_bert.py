"""BERT for pre-training on masked pieces (Fast rates Figs 1 and 4)."""

from typing import TYPE_CHECKING

from attention_dynamics.deep.networks.bert import Bert

if TYPE_CHECKING:
    from torch import nn


class MaskedBert(Bert, kind="masked_bert"):
    """BERT that predicts the piece at every position. Settings are as of ``Bert``, which takes over its encoder."""

    data = "masked texts"

    def build(self, inputs: tuple[int, ...], classes: int) -> "nn.Module":
        """See ``Bert.build``."""
        from attention_dynamics.deep.language.bert_modules import MaskedModule

        return MaskedModule(self, inputs, classes)
