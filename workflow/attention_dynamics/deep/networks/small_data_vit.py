"""The vision transformer for small data sets (Fast rates Fig 7)."""

from typing import TYPE_CHECKING, ClassVar

from attention_dynamics.deep.networks.network import Network
from attention_dynamics.types import Count, Positive, Probability

if TYPE_CHECKING:
    from torch import nn


class SmallDataViT(Network, kind="small_data_vit"):
    """A ``ViT`` with shifted patch tokenization and locality self-attention (Lee et al. 2021).

    Settings are as of ``ViT``, but head_dim, the dimension of a head, need not be dim / heads.
    """

    data = "images"
    observable = ("cls_attention", "weights")
    bias: ClassVar[bool] = False
    resize: ClassVar[int | None] = None

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
        from attention_dynamics.deep.vision.small_data_vit_module import SmallDataViTModule

        return SmallDataViTModule(self, inputs, classes)
