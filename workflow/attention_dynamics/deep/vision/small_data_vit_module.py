"""The vision transformer for small data sets as a torch module (Lee et al. 2021; Fast rates Fig 7)."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from attention_dynamics.deep.vision.layers import Attention
from attention_dynamics.deep.vision.vit_module import ViTModule


class LocalitySelfAttention(Attention):
    """Attention with a learned temperature in which no token attends to itself (Lee et al. 2021, eqs. 4 to 7)."""

    def __init__(self, dim: int, heads: int, head_dim: int, dropout: float, bias: bool) -> None:
        super().__init__(dim, heads, head_dim, dropout, bias)
        self.log_scale = nn.Parameter(torch.tensor(-math.log(head_dim) / 2))

    def scale(self) -> Tensor:
        """Return exp of the learned number, at first 1 / sqrt(head_dim)."""
        return self.log_scale.exp()

    def mask(self, tokens: Tensor) -> Tensor:
        """Return False on the diagonal, (T, T)."""
        return ~torch.eye(tokens.shape[1], dtype=torch.bool, device=tokens.device)


class ShiftedPatchEmbedding(nn.Module):
    """Patches of the image and of four shifted copies, normalized and mapped to tokens (Lee et al. 2021, eqs. 1 to 3).

    Shifts are by one pixel along the axes, as in public code of one of Fast rates' authors; Lee et al. shift by
    half a patch along the diagonals. Pixels that are shifted in are zero.
    """

    SHIFTS = ((1, -1, 0, 0), (-1, 1, 0, 0), (0, 0, 1, -1), (0, 0, -1, 1))

    def __init__(self, channels: int, patch: int, dim: int) -> None:
        super().__init__()
        self.patch = patch
        size = (1 + len(self.SHIFTS)) * channels * patch**2
        self.project = nn.Sequential(nn.LayerNorm(size), nn.Linear(size, dim))

    def forward(self, images: Tensor) -> Tensor:
        """Map (n, channels, height, width) to (n, patches, dim)."""
        copies = torch.cat([images, *(functional.pad(images, shift) for shift in self.SHIFTS)], 1)
        tokens: Tensor = self.project(functional.unfold(copies, self.patch, stride=self.patch).transpose(1, 2))
        return tokens


class SmallDataViTModule(ViTModule):
    """The network that ``networks.small_data_vit.SmallDataViT`` describes."""

    embed, attend = ShiftedPatchEmbedding, LocalitySelfAttention
