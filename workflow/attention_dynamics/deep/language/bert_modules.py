"""BERT (Devlin et al. 2019) as torch modules, to pre-train and to fine-tune (Fast rates Figs 1 and 4).

The encoder's modules have the names of the published weights.
"""

from typing import TYPE_CHECKING, Any

from torch import Tensor, nn
from torch.nn import functional

from attention_dynamics.deep.datasets.encoding import PAD_ID

if TYPE_CHECKING:
    from attention_dynamics.deep.networks.bert import Bert

# The standard deviation of initial weights, and what layer norms add to variances.
INITIAL_STD, NORM_EPSILON = 0.02, 1e-12
# A text consists of one part or of two.
SEGMENTS = 2


def layer_norm(dim: int) -> nn.LayerNorm:
    """Return a layer norm as BERT has it."""
    return nn.LayerNorm(dim, eps=NORM_EPSILON)


class Embeddings(nn.Module):
    """Embeddings of pieces, positions and segments, added and normalized."""

    def __init__(self, settings: "Bert", vocabulary: int, positions: int) -> None:
        super().__init__()
        self.word_embeddings = nn.Embedding(vocabulary, settings.dim, padding_idx=PAD_ID)
        self.position_embeddings = nn.Embedding(positions, settings.dim)
        self.token_type_embeddings = nn.Embedding(SEGMENTS, settings.dim)
        self.LayerNorm, self.dropout = layer_norm(settings.dim), nn.Dropout(settings.dropout)

    def forward(self, tokens: Tensor, segments: Tensor) -> Tensor:
        """Map numbers of pieces and of segments, each (n, T), to hidden states (n, T, dim)."""
        hidden = self.word_embeddings(tokens) + self.token_type_embeddings(segments)
        hidden = hidden + self.position_embeddings.weight[: tokens.shape[1]]
        embedded: Tensor = self.dropout(self.LayerNorm(hidden))
        return embedded


class SelfAttention(nn.Module):
    """Multi-head self-attention without its last linear map, which is in ``ResidualOutput``."""

    def __init__(self, settings: "Bert") -> None:
        super().__init__()
        self.heads, self.rate = settings.heads, settings.dropout
        self.query, self.key, self.value = (nn.Linear(settings.dim, settings.dim) for _ in range(3))

    def forward(self, hidden: Tensor, allowed: Tensor) -> Tensor:
        """Map (n, T, dim) to the same shape. allowed: the positions that can be attended to, (n, 1, 1, T)."""
        query, key, value = [
            project(hidden).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for project in (self.query, self.key, self.value)
        ]
        rate = self.rate if self.training else 0.0
        mixed = functional.scaled_dot_product_attention(query, key, value, allowed, rate)
        return mixed.transpose(1, 2).flatten(2)


class ResidualOutput(nn.Module):
    """The end of a block: a linear map, added to the block's input and normalized."""

    def __init__(self, inner: int, settings: "Bert") -> None:
        super().__init__()
        self.dense, self.dropout = nn.Linear(inner, settings.dim), nn.Dropout(settings.dropout)
        self.LayerNorm = layer_norm(settings.dim)

    def forward(self, inner: Tensor, hidden: Tensor) -> Tensor:
        """Map (n, T, inner) and the block's input, (n, T, dim), to (n, T, dim)."""
        output: Tensor = self.LayerNorm(self.dropout(self.dense(inner)) + hidden)
        return output


class EncoderLayer(nn.Module):
    """Self-attention and a perceptron with GELU, each of them a block that ends in ``ResidualOutput``."""

    def __init__(self, settings: "Bert") -> None:
        super().__init__()
        dim, mlp = settings.dim, settings.mlp
        self.attention = nn.ModuleDict({"self": SelfAttention(settings), "output": ResidualOutput(dim, settings)})
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(dim, mlp)})
        self.output = ResidualOutput(mlp, settings)

    def forward(self, hidden: Tensor, allowed: Tensor) -> Tensor:
        """Map (n, T, dim) to the same shape; allowed as of ``SelfAttention``."""
        hidden = self.attention["output"](self.attention["self"](hidden, allowed), hidden)
        output: Tensor = self.output(functional.gelu(self.intermediate["dense"](hidden)), hidden)
        return output


class Encoder(nn.Module):
    """Embeddings, layers of attention and, if ``pooled``, a layer on [CLS].

    inputs: (2, length of the texts, size of the vocabulary). Raises ValueError where the texts are longer than there
    are positions.
    """

    def __init__(self, settings: "Bert", inputs: tuple[int, ...], pooled: bool) -> None:
        super().__init__()
        _, length, vocabulary = inputs
        positions = settings.positions or length
        if positions < length:
            raise ValueError(f"positions: {positions} is less than the length of the texts, {length}")
        self.embeddings = Embeddings(settings, vocabulary, positions)
        # Any, because mypy does not know that the module "layer" is a list.
        self.encoder: Any = nn.ModuleDict(
            {"layer": nn.ModuleList(EncoderLayer(settings) for _ in range(settings.depth))}
        )
        self.pooler = nn.ModuleDict({"dense": nn.Linear(settings.dim, settings.dim)} if pooled else {})
        self.apply(initialize)

    def forward(self, pieces: Tensor) -> Tensor:
        """Map texts (n, 2, T), numbers of pieces and of segments, to hidden states (n, T, dim)."""
        tokens, segments = pieces.unbind(1)
        hidden: Tensor = self.embeddings(tokens, segments)
        allowed = (tokens != PAD_ID)[:, None, None]
        for layer in self.encoder["layer"]:
            hidden = layer(hidden, allowed)
        return hidden

    def pool(self, hidden: Tensor) -> Tensor:
        """Map hidden states (n, T, dim) to the output of the layer on [CLS], (n, dim)."""
        pooled: Tensor = self.pooler["dense"](hidden[:, 0]).tanh()
        return pooled


class BertModule(nn.Module):
    """An encoder, and what the training loop asks of a network. Raises as ``Encoder``."""

    def __init__(self, settings: "Bert", inputs: tuple[int, ...], classes: int, pooled: bool) -> None:
        super().__init__()
        *shape, self.vocabulary = inputs
        self.input_shape, self.classes = tuple(shape), classes
        self.encoder = Encoder(settings, inputs, pooled)


class ClassifierModule(BertModule):
    """The network that ``networks.bert.Bert`` describes."""

    def __init__(self, settings: "Bert", inputs: tuple[int, ...], classes: int) -> None:
        super().__init__(settings, inputs, classes, pooled=True)
        self.dropout, self.classifier = nn.Dropout(settings.dropout), nn.Linear(settings.dim, classes)
        initialize(self.classifier)

    def forward(self, pieces: Tensor) -> Tensor:
        """Map (n, 2, T) to logits (n, classes)."""
        logits: Tensor = self.classifier(self.dropout(self.encoder.pool(self.encoder(pieces))))
        return logits


class MaskedModule(BertModule):
    """The network that ``networks.masked_bert.MaskedBert`` describes: pieces are named by their embeddings."""

    def __init__(self, settings: "Bert", inputs: tuple[int, ...], classes: int) -> None:
        super().__init__(settings, inputs, classes, pooled=False)
        self.dense, self.norm = nn.Linear(settings.dim, settings.dim), layer_norm(settings.dim)
        self.decoder = nn.Linear(settings.dim, self.vocabulary)
        initialize(self.dense)
        nn.init.zeros_(self.decoder.bias)
        self.decoder.weight = self.encoder.embeddings.word_embeddings.weight

    def forward(self, pieces: Tensor) -> Tensor:
        """Map (n, 2, T) to logits (n, vocabulary, T)."""
        hidden = self.norm(functional.gelu(self.dense(self.encoder(pieces))))
        logits: Tensor = self.decoder(hidden).transpose(1, 2)
        return logits


def initialize(module: nn.Module) -> None:
    """Draw initial weights of a linear map or of embeddings, as transformers does.

    Biases and the embedding of padding start at zero. The published code truncates the normal at two deviations.
    """
    if isinstance(module, (nn.Linear, nn.Embedding)):
        nn.init.normal_(module.weight, std=INITIAL_STD)
    if isinstance(module, nn.Linear):
        nn.init.zeros_(module.bias)
    if isinstance(module, nn.Embedding) and module.padding_idx is not None:
        nn.init.zeros_(module.weight.data[module.padding_idx])
