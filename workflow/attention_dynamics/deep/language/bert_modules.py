"""BERT (Devlin et al. 2019), as transformers has it, to pre-train and to fine-tune (Fast rates Figs 1 and 4)."""

from typing import ClassVar

import transformers
from torch import Tensor, nn
from transformers import BertConfig, BertForMaskedLM, BertForSequenceClassification, BertModel, BertPreTrainedModel

from attention_dynamics.datasets.encoding import PAD_ID


class Bert(nn.Module):
    """An encoder and what reads its hidden states.

    pieces: (2, length of the texts, size of the vocabulary). positions: how many there are embeddings for, by default
    as many as the texts are long. dropout: of hidden states and of attention's probabilities. Raises ValueError where
    heads do not divide dim, or the texts are longer than there are positions.
    """

    NETWORK: ClassVar[type[BertPreTrainedModel]]
    # A checkpoint of another version is passed over.
    VERSIONS: ClassVar[tuple[str, ...]] = (transformers.__version__,)

    def __init__(
        self, pieces: tuple[int, int, int], classes: int, *, dim: int, depth: int, heads: int, mlp: int, dropout: float,
        positions: int | None,
    ) -> None:  # fmt: skip
        super().__init__()
        *shape, self.vocabulary = pieces
        self.input_shape, self.classes = tuple(shape), classes
        if dim % heads:
            raise ValueError(f"heads: {heads} of them do not divide dim = {dim}")
        if positions is not None and positions < shape[-1]:
            raise ValueError(f"positions: {positions} are not enough for texts of {shape[-1]}")
        settings = BertConfig(
            vocab_size=self.vocabulary, hidden_size=dim, num_hidden_layers=depth, num_attention_heads=heads,
            intermediate_size=mlp, hidden_dropout_prob=dropout, attention_probs_dropout_prob=dropout,
            max_position_embeddings=positions or shape[-1], pad_token_id=PAD_ID, num_labels=classes,
        )  # fmt: skip
        self.network = self.NETWORK(settings)

    @property
    def encoder(self) -> BertModel:
        """The part that a pre-training leaves to a fine-tuning."""
        return self.network.bert

    def logits(self, pieces: Tensor) -> Tensor:
        """Of pieces (n, 2, T), their numbers and those of their segments."""
        tokens, segments = pieces.unbind(1)
        mask = (tokens != PAD_ID).long()
        return self.network(input_ids=tokens, token_type_ids=segments, attention_mask=mask).logits


class Classifier(Bert):
    """The class is read off the first piece, [CLS], through a layer with tanh."""

    NETWORK = BertForSequenceClassification

    def forward(self, pieces: Tensor) -> Tensor:
        """(n, 2, T) -> logits (n, classes)."""
        return self.logits(pieces)


class MaskedModel(Bert):
    """The piece at every position, by the embeddings of the pieces; classes are not used."""

    NETWORK = BertForMaskedLM

    def forward(self, pieces: Tensor) -> Tensor:
        """(n, 2, T) -> logits (n, vocabulary, T)."""
        return self.logits(pieces).transpose(1, 2)
