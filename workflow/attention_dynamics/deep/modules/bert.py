"""BERT (Devlin et al. 2019) as torch modules, to pre-train and to fine-tune (Fast rates Figs 1 and 4).

The encoder's modules are named as in the published weights, so that these can be loaded. ``Masking`` selects the pieces
that are predicted in pre-training.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from attention_dynamics.deep.datasets.tokens import MASK, PAD_ID, SPECIAL
from attention_dynamics.deep.trainer.record import Arrays
from attention_dynamics.deep.trainer.splits import IGNORE_INDEX

# Standard deviation of initial weights, and the epsilon of layer norms.
INITIAL_STD, NORM_EPSILON = 0.02, 1e-12
# A text consists of one part or of two.
SEGMENTS = 2
# Share of the pieces that are predicted; of these, the shares that become [MASK] and that become a random piece.
PREDICTED_SHARE, MASKED_SHARE, REPLACED_SHARE = 0.15, 0.8, 0.1
# Prefix of the weights of the layer on [CLS]. A network that is pre-trained on masked pieces has no such layer.
POOLER = "pooler."
# Prefix of an encoder's weights in a trajectory.
PREFIX = "weights/"
# Prefix of the encoder's weights in published files of a model for pre-training.
PUBLISHED_PREFIX = "bert."
# Names of the weights of layer norms in older files.
OLDER_NAMES = {"gamma": "weight", "beta": "bias"}


def layer_norm(dim: int) -> nn.LayerNorm:
    """Return a layer norm with BERT's epsilon."""
    return nn.LayerNorm(dim, eps=NORM_EPSILON)


class Embeddings(nn.Module):
    """Embeddings of pieces, positions and segments, added and normalized."""

    def __init__(self, vocabulary: int, positions: int, dim: int, dropout: float) -> None:
        super().__init__()
        self.word_embeddings = nn.Embedding(vocabulary, dim, padding_idx=PAD_ID)
        self.position_embeddings = nn.Embedding(positions, dim)
        self.token_type_embeddings = nn.Embedding(SEGMENTS, dim)
        self.LayerNorm, self.dropout = layer_norm(dim), nn.Dropout(dropout)

    def forward(self, tokens: Tensor, segments: Tensor) -> Tensor:
        """Map numbers of pieces and of segments, each (n, T), to hidden states (n, T, dim)."""
        hidden = self.word_embeddings(tokens) + self.token_type_embeddings(segments)
        hidden = hidden + self.position_embeddings.weight[: tokens.shape[1]]
        embedded: Tensor = self.dropout(self.LayerNorm(hidden))
        return embedded


class SelfAttention(nn.Module):
    """Multi-head self-attention without its last linear map, which is in ``ResidualOutput``."""

    def __init__(self, dim: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads, self.rate = heads, dropout
        self.query, self.key, self.value = (nn.Linear(dim, dim) for _ in range(3))

    def forward(self, hidden: Tensor, allowed: Tensor) -> Tensor:
        """Map (n, T, dim) to the same shape. allowed: (n, 1, 1, T), True at the positions that can be attended to."""
        query, key, value = [
            project(hidden).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for project in (self.query, self.key, self.value)
        ]
        rate = self.rate if self.training else 0.0
        mixed = functional.scaled_dot_product_attention(query, key, value, allowed, rate)
        return mixed.transpose(1, 2).flatten(2)


class ResidualOutput(nn.Module):
    """The end of a block: a linear map, added to the block's input and normalized."""

    def __init__(self, inner: int, dim: int, dropout: float) -> None:
        super().__init__()
        self.dense, self.dropout = nn.Linear(inner, dim), nn.Dropout(dropout)
        self.LayerNorm = layer_norm(dim)

    def forward(self, inner: Tensor, hidden: Tensor) -> Tensor:
        """Map (n, T, inner) and the block's input, (n, T, dim), to (n, T, dim)."""
        output: Tensor = self.LayerNorm(self.dropout(self.dense(inner)) + hidden)
        return output


class EncoderLayer(nn.Module):
    """Self-attention and a perceptron with GELU, each of them a block that ends in ``ResidualOutput``."""

    def __init__(self, dim: int, heads: int, mlp: int, dropout: float) -> None:
        super().__init__()
        attention, output = SelfAttention(dim, heads, dropout), ResidualOutput(dim, dim, dropout)
        self.attention = nn.ModuleDict({"self": attention, "output": output})
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(dim, mlp)})
        self.output = ResidualOutput(mlp, dim, dropout)

    def forward(self, hidden: Tensor, allowed: Tensor) -> Tensor:
        """Map (n, T, dim) to the same shape. allowed: (n, 1, 1, T), True at the positions that can be attended to."""
        hidden = self.attention["output"](self.attention["self"](hidden, allowed), hidden)
        output: Tensor = self.output(functional.gelu(self.intermediate["dense"](hidden)), hidden)
        return output


class Encoder(nn.Module):
    """Embeddings, layers of attention and, if ``pooled``, a layer on [CLS].

    inputs: (2, length of the texts, size of the vocabulary). positions: number of position embeddings; the length of
    the texts if None. Raises ValueError if ``positions`` is less than the length of the texts.
    """

    def __init__(
        self, inputs: tuple[int, ...], *, dim: int, depth: int, heads: int, mlp: int, dropout: float,
        positions: int | None, pooled: bool,
    ) -> None:  # fmt: skip
        super().__init__()
        _, length, vocabulary = inputs
        positions = positions or length
        if positions < length:
            raise ValueError(f"positions: {positions} is less than the length of the texts, {length}")
        self.embeddings = Embeddings(vocabulary, positions, dim, dropout)
        # Any, because mypy does not know that the module "layer" is a list.
        self.encoder: Any = nn.ModuleDict(
            {"layer": nn.ModuleList(EncoderLayer(dim, heads, mlp, dropout) for _ in range(depth))}
        )
        self.pooler = nn.ModuleDict({"dense": nn.Linear(dim, dim)} if pooled else {})
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
    """An encoder with the attributes that training checks (``check_feasibility``). sizes, errors: see ``Encoder``."""

    def __init__(self, inputs: tuple[int, ...], classes: int, **sizes: Any) -> None:
        super().__init__()
        *shape, self.vocabulary = inputs
        self.input_shape, self.classes = tuple(shape), classes
        self.encoder = Encoder(inputs, **sizes)


class ClassifierModule(BertModule):
    """BERT that reads the class off the first piece, [CLS]. Other sizes: see ``Encoder``."""

    def __init__(self, inputs: tuple[int, ...], classes: int, *, dim: int, dropout: float, **sizes: Any) -> None:
        super().__init__(inputs, classes, dim=dim, dropout=dropout, pooled=True, **sizes)
        self.dropout, self.classifier = nn.Dropout(dropout), nn.Linear(dim, classes)
        initialize(self.classifier)

    def forward(self, pieces: Tensor) -> Tensor:
        """Map (n, 2, T) to logits (n, classes)."""
        logits: Tensor = self.classifier(self.dropout(self.encoder.pool(self.encoder(pieces))))
        return logits


class MaskedModule(BertModule):
    """BERT that predicts the piece at every position, with the embeddings as output weights.

    Other sizes: see ``Encoder``.
    """

    def __init__(self, inputs: tuple[int, ...], classes: int, *, dim: int, **sizes: Any) -> None:
        super().__init__(inputs, classes, dim=dim, pooled=False, **sizes)
        self.dense, self.norm = nn.Linear(dim, dim), layer_norm(dim)
        self.decoder = nn.Linear(dim, self.vocabulary)
        initialize(self.dense)
        nn.init.zeros_(self.decoder.bias)
        self.decoder.weight = self.encoder.embeddings.word_embeddings.weight

    def forward(self, pieces: Tensor) -> Tensor:
        """Map (n, 2, T) to logits (n, vocabulary, T)."""
        hidden = self.norm(functional.gelu(self.dense(self.encoder(pieces))))
        logits: Tensor = self.decoder(hidden).transpose(1, 2)
        return logits


def initialize(module: nn.Module) -> None:
    """Draw initial weights of a linear map or of embeddings, as the package ``transformers`` does.

    Biases and the embedding of padding start at zero. BERT's published code, unlike this function, truncates the normal
    distribution at two standard deviations.
    """
    if isinstance(module, (nn.Linear, nn.Embedding)):
        nn.init.normal_(module.weight, std=INITIAL_STD)
    if isinstance(module, nn.Linear):
        nn.init.zeros_(module.bias)
    if isinstance(module, nn.Embedding) and module.padding_idx is not None:
        nn.init.zeros_(module.weight.data[module.padding_idx])


class Masking:
    """Masking of texts: pieces are chosen with probability 0.15; 80 % of these become [MASK], 10 % a random piece.

    The other 10 % of the chosen pieces stay as they are. vocabulary: the piece of each number; special pieces are
    neither chosen nor drawn as random pieces. Random numbers are drawn from torch's CPU generator on every device, so
    that a GPU gets the same masks. Raises ValueError if [MASK] is missing.
    """

    def __init__(self, vocabulary: Sequence[str], device: str = "cpu") -> None:
        if MASK not in vocabulary:
            raise ValueError(f"vocabulary: {MASK} is missing")
        self._mask = list(vocabulary).index(MASK)
        ordinary = [number for number, piece in enumerate(vocabulary) if piece not in SPECIAL]
        self._ordinary = torch.tensor(ordinary, device=device)
        self._special = torch.ones(len(vocabulary), dtype=torch.bool, device=device)
        self._special[self._ordinary] = False

    def __call__(self, pieces: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
        """Return masked texts, (n, 2, T), and labels, (n, T): the original piece if it was chosen, else IGNORE_INDEX.

        pieces: (n, 2, T), numbers of pieces and of segments. labels: (n, T), the numbers of pieces again.
        """
        device = labels.device
        chosen, kind = torch.rand(2, *labels.shape).to(device)
        which = torch.randint(len(self._ordinary), labels.shape).to(device)
        to_name = (chosen < PREDICTED_SHARE) & ~self._special[labels]
        masked, replaced = to_name & (kind < MASKED_SHARE), to_name & (kind >= 1 - REPLACED_SHARE)
        tokens = torch.where(replaced, self._ordinary[which], labels).masked_fill(masked, self._mask)
        return torch.stack([tokens.to(pieces.dtype), pieces[:, 1]], 1), torch.where(to_name, labels, IGNORE_INDEX)


def read_encoder_weights(model: Any) -> Arrays:
    """Return "weights/<name>" -> array, the weights of a model's encoder."""
    return {PREFIX + name: value.cpu().numpy() for name, value in model.encoder.state_dict().items()}


def put_encoder_weights(model: Any, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Put stored weights ("weights/<name>") into a model's encoder.

    If there are no stored weights for the layer on [CLS], this layer is unchanged. Raises ValueError, naming the
    weight, if another weight is missing, or if one is unexpected or has another shape.
    """
    given = {name.removeprefix(PREFIX): array for name, array in arrays.items() if name.startswith(PREFIX)}
    own = model.encoder.state_dict()
    for name in sorted(own.keys() ^ given.keys()):
        if name in given or not name.startswith(POOLER):
            raise ValueError(f"pre-trained weights: {name} is {'unexpected' if name in given else 'missing'}")
    for name, array in given.items():
        if own[name].shape != array.shape:
            expected = tuple(own[name].shape)
            raise ValueError(f"pre-trained weights: {name} has shape {array.shape}, but the network needs {expected}")
    model.encoder.load_state_dict({name: torch.as_tensor(array) for name, array in given.items()}, strict=False)


def rename_published_weights(arrays: Mapping[str, NDArray[Any]]) -> Arrays:
    """Return the encoder's weights in a published file, under the names of ``read_encoder_weights``.

    arrays: name in the file -> array. The file is that of a model for pre-training or of an encoder alone.
    """
    # Files of an encoder alone, such as that of all-MiniLM-L6-v2, have no prefix.
    prefix = PUBLISHED_PREFIX if any(name.startswith(PUBLISHED_PREFIX) for name in arrays) else ""
    found = {}
    for name, array in arrays.items():
        if name.startswith(prefix) and not name.endswith("position_ids"):
            *path, last = name.removeprefix(prefix).split(".")
            found[PREFIX + ".".join([*path, OLDER_NAMES.get(last, last)])] = array
    return found
