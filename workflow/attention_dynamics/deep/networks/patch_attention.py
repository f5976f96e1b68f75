"""One layer of self-attention on patches with a combined key-query matrix (Fast rates Fig 6)."""

from typing import TYPE_CHECKING

from attention_dynamics.deep.networks.network import Network
from attention_dynamics.types import Count, Positive

if TYPE_CHECKING:
    from torch import nn


class PatchAttention(Network, kind="patch_attention"):
    """Self-attention with one matrix W = W_K W_Q', which starts at zero, read out linearly.

    patch: side in pixels. dim: of the tokens. position_std: standard deviation of the normal entries with which
    positions start.
    """

    data = "images"

    patch: Count
    dim: Count
    position_std: Positive = 0.02

    def build(self, inputs: tuple[int, ...], classes: int) -> "nn.Module":
        """See ``Network.build``. Raises ValueError also for patches that do not tile the image."""
        from attention_dynamics.deep.vision.patch_attention_module import PatchAttentionModule

        return PatchAttentionModule(self, inputs, classes)
