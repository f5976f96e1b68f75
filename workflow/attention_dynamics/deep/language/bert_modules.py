"""BERT (Devlin et al. 2019), as transformers has it, to pre-train and to fine-tune (Fast rates Figs 1 and 4)."""

from typing import TYPE_CHECKING, Any, ClassVar

import transformers
from torch import Tensor, nn
from transformers import BertConfig, BertForMaskedLM, BertForSequenceClassification

from attention_dynamics.deep.datasets.encoding import PAD_ID

if TYPE_CHECKING:
    from attention_dynamics.deep.networks.bert import Bert


class BertModule(nn.Module):
    """An encoder and the layers that read its hidden states.

    inputs: (2, length of the texts, size of the vocabulary). Raises ValueError where the texts are longer than there
    are positions.
    """

    network_class: ClassVar[Any]
    # A checkpoint of another version is ignored.
    VERSIONS: ClassVar[tuple[str, ...]] = (transformers.__version__,)

    def __init__(self, settings: "Bert", inputs: tuple[int, ...], classes: int) -> None:
        super().__init__()
        *shape, self.vocabulary = inputs
        self.input_shape, self.classes = tuple(shape), classes
        length, positions = shape[-1], settings.positions
        if positions is not None and positions < length:
            raise ValueError(f"positions: {positions} is less than the length of the texts, {length}")
        # Transformers takes the number of labels without declaring it.
        config = BertConfig(  # type: ignore[call-arg]
            vocab_size=self.vocabulary,
            hidden_size=settings.dim,
            num_hidden_layers=settings.depth,
            num_attention_heads=settings.heads,
            intermediate_size=settings.mlp,
            hidden_dropout_prob=settings.dropout,
            attention_probs_dropout_prob=settings.dropout,
            max_position_embeddings=positions or length,
            pad_token_id=PAD_ID,
            num_labels=classes,
        )
        self.network: Any = self.network_class(config)

    @property
    def encoder(self) -> Any:
        """The part whose weights fine-tuning takes over from pre-training."""
        return self.network.bert

    def logits(self, pieces: Tensor) -> Tensor:
        """Return the logits of texts (n, 2, T): numbers of pieces and of segments."""
        tokens, segments = pieces.unbind(1)
        mask = (tokens != PAD_ID).long()
        logits: Tensor = self.network(input_ids=tokens, token_type_ids=segments, attention_mask=mask).logits
        return logits


class ClassifierModule(BertModule):
    """The network that ``networks.bert.Bert`` describes."""

    network_class = BertForSequenceClassification

    def forward(self, pieces: Tensor) -> Tensor:
        """Map (n, 2, T) to logits (n, classes)."""
        return self.logits(pieces)


class MaskedModule(BertModule):
    """The network that ``networks.masked_bert.MaskedBert`` describes: pieces are named by their embeddings."""

    network_class = BertForMaskedLM

    def forward(self, pieces: Tensor) -> Tensor:
        """Map (n, 2, T) to logits (n, vocabulary, T)."""
        return self.logits(pieces).transpose(1, 2)
