"""The vision transformer with [CLS] (Max-margin Figs 6 and 7, Mirror descent, CIFAR-10)."""

from typing import TYPE_CHECKING

from attention_dynamics.deep.networks.transformer import Transformer
from attention_dynamics.types import Count, Positive

if TYPE_CHECKING:
    from torch import nn


class ViT(Transformer, kind="vit"):
    """A pre-norm vision transformer (Dosovitskiy et al. 2021), which reads its class off the first token, [CLS].

    patch: side in pixels. dropout: after the embedding, attention, and both layers of the perceptrons. position_std:
    standard deviation of the normal entries with which positions and [CLS] start. bias: of queries, keys and values.
    resize: side to which images are scaled first, bilinearly (48 in Mirror descent).
    """

    data = "images"
    observable = ("cls_attention", "weights")

    patch: Count
    position_std: Positive = 0.02
    bias: bool = False
    resize: Count | None = None

    def build(self, inputs: tuple[int, ...], classes: int) -> "nn.Module":
        """See ``Network.build``. Raises ValueError also for patches that do not tile the image."""
        from attention_dynamics.deep.vision.vit_module import ViTModule

        return ViTModule(self, inputs, classes)
