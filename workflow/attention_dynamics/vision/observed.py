"""What is observed of a vision transformer while it trains (Max-margin Figs 6 and 7)."""

import torch
from numpy.typing import NDArray
from torch import nn

from attention_dynamics.vision.sparsity import cls_attention, key_query_norm, soft_sparsity


class Observer:
    """Observes the last layer's attention from [CLS] on images, (n, channels, height, width).

    image: which of them the attention map is of. Raises ValueError where there is no such image.
    """

    def __init__(self, images: NDArray, image: int, device: str = "cpu") -> None:
        if image >= len(images):
            raise ValueError(f"image: there are {len(images)}, counted from 0, got {image}")
        self.images, self.image = torch.as_tensor(images).to(device), image

    def __call__(self, model: nn.Module) -> dict[str, NDArray]:
        """soft_sparsity: () mean over the images of that of the mean over the heads. key_query_norm: ().

        attention_map: (T,), from [CLS] of one image to [CLS] and all patches, mean over the heads.
        """
        attention = cls_attention(model.attention(self.images)[-1])
        return {
            "soft_sparsity": soft_sparsity(attention).mean().cpu().double().numpy(),
            "key_query_norm": key_query_norm(model.key_query()).cpu().double().numpy(),
            "attention_map": attention[self.image].cpu().double().numpy(),
        }
