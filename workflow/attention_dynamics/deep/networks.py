"""Networks: their settings, from which ``build`` makes torch modules."""

from typing import TYPE_CHECKING, Any, ClassVar, Self

from pydantic import model_validator

from attention_dynamics.registry import Component
from attention_dynamics.types import Count, Positive, Probability

if TYPE_CHECKING:
    from torch import nn

# Makes this module importable as a package, so that plug-ins can be its submodules.
__path__: list[str] = []


class Network(Component, packages=("deep.networks",)):
    """An architecture. Only ``build`` imports torch, so that a configuration is read without it.

    data: the kind of data that it reads, or "masked texts". observable: values of ``DeepTraining.observe`` that it
    supports. classes: the number of classes, if it is fixed.
    """

    data: ClassVar[str] = ""
    observable: ClassVar[tuple[str, ...]] = ()
    classes: ClassVar[int | None] = None

    def build(self, inputs: tuple[int, ...], classes: int) -> "nn.Module":
        """Return the network with fresh weights.

        inputs: (channels, height, width) of images, (2, length, size of the vocabulary) of texts with classes, (length,
        size of the vocabulary) of a corpus. Raises ValueError for sizes that do not fit.
        """
        raise NotImplementedError

    @property
    def sizes(self) -> dict[str, Any]:
        """All settings but dropout. Networks of equal sizes have weights of equal shapes and can exchange them."""
        # The kind is left out, because a classifier can load the encoder of a network that was trained on masked
        # pieces.
        return {name: value for name, value in self if name != "dropout"}


# For Fig 6 of Fast rates.
class PatchAttention(Network, kind="patch_attention"):
    """Self-attention on patches with one matrix W = W_K W_Q', which starts at zero. Logits are linear in its outputs.

    patch: side of a patch in pixels. dim: dimension of the tokens. position_std: standard deviation of the normally
    distributed initial position embeddings.
    """

    data = "images"

    patch: Count
    dim: Count
    position_std: Positive = 0.02

    def build(self, inputs: tuple[int, ...], classes: int) -> "nn.Module":
        """See ``Network.build``. Raises ValueError also for patches that do not tile the image."""
        from attention_dynamics.deep.modules.vision import PatchAttentionModule

        return PatchAttentionModule(inputs, classes, **dict(self))


class Transformer(Network):
    """Blocks of multi-head attention and of perceptrons with one hidden layer.

    dim: dimension of the tokens. depth: number of blocks. heads: number of heads of a block, each of dimension
    dim / heads. mlp: width of the hidden layers. dropout: probability that an entry is set to zero in training.
    """

    dim: Count
    depth: Count
    heads: Count
    mlp: Count
    dropout: Probability = 0.0

    @model_validator(mode="after")
    def _check_heads(self) -> Self:
        if self.dim % self.heads:
            raise ValueError(f"heads: dim = {self.dim} is not divisible by {self.heads}")
        return self


# For Figs 6 and 7 of Max-margin token selection, and for CIFAR-10 and CIFAR-100 in Mirror descent.
class ViT(Transformer, kind="vit"):
    """A pre-norm vision transformer (Dosovitskiy et al. 2021), which reads its class off the first token, [CLS].

    patch: side of a patch in pixels. dropout: after the embedding, attention, and both layers of the perceptrons.
    position_std: standard deviation of the normally distributed initial embeddings of positions and [CLS]. bias:
    whether the maps to queries, keys and values have a bias. resize: side in pixels to which images are first scaled,
    bilinearly (48 in Mirror descent); None to keep their size.
    """

    data = "images"
    observable = ("cls_attention", "weights")

    patch: Count
    position_std: Positive = 0.02
    bias: bool = False
    resize: Count | None = None

    def build(self, inputs: tuple[int, ...], classes: int) -> "nn.Module":
        """See ``Network.build``. Raises ValueError also for patches that do not tile the image."""
        from attention_dynamics.deep.modules.vision import ViTModule

        return ViTModule(inputs, classes, head_dim=self.dim // self.heads, **dict(self))


# For Fig 7 of Fast rates.
class SmallDataViT(Network, kind="small_data_vit"):
    """A ``ViT`` with shifted patch tokenization and locality self-attention (Lee et al. 2021).

    Settings are those of ``ViT``, without bias and resize. head_dim: dimension of a head; it need not be dim / heads.
    """

    data = "images"
    observable = ("cls_attention", "weights")

    patch: Count
    dim: Count
    depth: Count
    heads: Count
    head_dim: Count
    mlp: Count
    dropout: Probability = 0.0
    position_std: Positive = 1.0

    def build(self, inputs: tuple[int, ...], classes: int) -> "nn.Module":
        """See ``ViT.build``."""
        from attention_dynamics.deep.modules.vision import LocalitySelfAttention, ShiftedPatchEmbedding, ViTModule

        return ViTModule(
            inputs, classes, embedding=ShiftedPatchEmbedding, attention=LocalitySelfAttention, **dict(self)
        )


# For the figures of Mirror descent on IMDb.
class TextClassifier(Transformer, kind="text_classifier"):
    """An encoder without biases that reads one of two classes off the first token, [CLS]."""

    data = "texts"
    observable = ("weights", "sentences")
    classes = 2

    def build(self, inputs: tuple[int, ...], classes: int) -> "nn.Module":
        """See ``Network.build``."""
        from attention_dynamics.deep.modules.text_classifier import TextClassifierModule

        return TextClassifierModule(inputs, **dict(self))


# For Figs 7 and 10 of Scan and snap.
class Decoder(Transformer, kind="decoder"):
    """A decoder as in PyTorch's tutorial on language modelling, which the notebook of Scan and snap's authors follows.

    dropout: also applied to the attention probabilities.
    """

    data = "corpus"

    @model_validator(mode="after")
    def _check_dim(self) -> Self:
        if self.dim % 2:
            raise ValueError(f"dim: must be even, for pairs of sines and cosines, got {self.dim}")
        return self

    def build(self, inputs: tuple[int, ...], classes: int) -> "nn.Module":
        """See ``Network.build``."""
        from attention_dynamics.deep.modules.decoder import DecoderModule

        return DecoderModule(inputs, classes, **dict(self))


# For the fine-tuning in Figs 1 and 4 of Fast rates.
class Bert(Transformer, kind="bert"):
    """BERT (Devlin et al. 2019), which reads the class off the first piece, [CLS], through a layer with tanh.

    dropout: probability of dropout of hidden states and attention probabilities. positions: number of position
    embeddings, by default the length of the texts.
    """

    data = "texts"

    dropout: Probability = 0.1
    positions: Count | None = None

    def build(self, inputs: tuple[int, ...], classes: int) -> "nn.Module":
        """See ``Network.build``. Raises ValueError also for texts that are longer than there are positions."""
        from attention_dynamics.deep.modules.bert import ClassifierModule

        return ClassifierModule(inputs, classes, **dict(self))


# For the pre-training in Figs 1 and 4 of Fast rates.
class MaskedBert(Bert, kind="masked_bert"):
    """BERT that predicts the piece at every position, with the settings of ``Bert``.

    A ``Bert`` can load the encoder that was trained here.
    """

    data = "masked texts"

    def build(self, inputs: tuple[int, ...], classes: int) -> "nn.Module":
        """See ``Bert.build``."""
        from attention_dynamics.deep.modules.bert import MaskedModule

        return MaskedModule(inputs, classes, **dict(self))
