"""BERT (Devlin et al. 2019), as transformers has it, to pre-train and to fine-tune (Fast rates Figs 1 and 4)."""

from collections.abc import Mapping
from typing import ClassVar

import torch
import transformers
from numpy.typing import NDArray
from torch import Tensor, nn
from transformers import BertConfig, BertForMaskedLM, BertForSequenceClassification, BertModel, BertPreTrainedModel

from attention_dynamics.datasets.encoding import PADDED

# The layer on [CLS], which naming masked pieces does not train.
POOLER = "pooler."
# Where a training stores an encoder's weights, and what older files call those of layer norms.
STORED = "weights/"
OLDER = {"gamma": "weight", "beta": "bias"}


class Bert(nn.Module):
    """An encoder and what reads its hidden states.

    pieces: (2, length of the texts, size of the vocabulary). positions: how many there are embeddings for, by default
    as many as the texts are long. dropout: of hidden states and of attention's probabilities. Raises ValueError where
    heads do not divide dim, or the texts are longer than there are positions.
    """

    NETWORK: ClassVar[type[BertPreTrainedModel]]
    # A checkpoint of another one is passed over.
    VERSIONS = (transformers.__version__,)

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
            max_position_embeddings=positions or shape[-1], pad_token_id=PADDED, num_labels=classes,
        )  # fmt: skip
        self.network = self.NETWORK(settings)

    @property
    def encoder(self) -> BertModel:
        """The part that a pre-training leaves to a fine-tuning."""
        return self.network.bert

    def logits(self, pieces: Tensor) -> Tensor:
        """Of pieces (n, 2, T), their numbers and those of their segments."""
        tokens, segments = pieces.unbind(1)
        mask = (tokens != PADDED).long()
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


def encoder_weights(model: Bert) -> dict[str, NDArray]:
    """The weights of the encoder as "weights/<name>"."""
    return {STORED + name: value.cpu().numpy() for name, value in model.encoder.state_dict().items()}


def put_weights(model: Bert, arrays: Mapping[str, NDArray]) -> None:
    """Put stored weights into the encoder; a layer on [CLS] that they lack stays as it is.

    Raises ValueError, naming one, where weights are missing, superfluous or of another shape.
    """
    given = {name.removeprefix(STORED): array for name, array in arrays.items() if name.startswith(STORED)}
    own = model.encoder.state_dict()
    for name in sorted(own.keys() ^ given.keys()):
        if name in given or not name.startswith(POOLER):
            raise ValueError(f"pre-trained weights: {name} is {'superfluous' if name in given else 'missing'}")
    for name, array in given.items():
        if own[name].shape != array.shape:
            there = tuple(own[name].shape)
            raise ValueError(f"pre-trained weights: {name} has shape {array.shape}, that of the network {there}")
    model.encoder.load_state_dict({name: torch.as_tensor(array) for name, array in given.items()}, strict=False)


def published_names(arrays: Mapping[str, NDArray]) -> dict[str, NDArray]:
    """The encoder's weights in a published file of a model for pre-training, under the names of ``encoder_weights``."""
    prefix, found = "bert.", {}
    for name, array in arrays.items():
        if name.startswith(prefix) and not name.endswith("position_ids"):
            *path, last = name.removeprefix(prefix).split(".")
            found[STORED + ".".join([*path, OLDER.get(last, last)])] = array
    return found
