"""Observation of networks on images while they train."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from attention_dynamics.deep.training.record import Arrays
from attention_dynamics.deep.training.weight_histogram import observe_weights
from attention_dynamics.deep.vision.sparsity import cls_attention, key_query_norm, soft_sparsity

BATCH_SIZE = 100


def observe_cls_attention(model: Any, images: Tensor, image: int) -> Arrays:
    """Return the last layer's attention from [CLS] on images, (n, channels, height, width) (Max-margin Figs 6 and 7).

    soft_sparsity: () mean over the images of that of the mean over the heads. key_query_norm: ().
    attention_map: (T,), from [CLS] of one image to [CLS] and all patches, mean over the heads.
    """
    attention = torch.cat([cls_attention(model.last_attention(part)) for part in torch.split(images, BATCH_SIZE)])
    return {
        "soft_sparsity": soft_sparsity(attention).mean().cpu().double().numpy(),
        "key_query_norm": key_query_norm(model.key_query()).cpu().double().numpy(),
        "attention_map": attention[image].cpu().double().numpy(),
    }


OBSERVERS: Mapping[str, Callable[[Any, Tensor, int], Arrays]] = {
    "cls_attention": observe_cls_attention,
    "weights": lambda model, images, image: observe_weights(model),
}


class ImageObserver:
    """Observer of a network on images, (n, channels, height, width).

    names: keys of OBSERVERS. image: index of the image whose attention map is recorded. Raises ValueError if it
    does not exist.
    """

    def __init__(self, names: Sequence[str], images: NDArray[np.float32], image: int, device: str = "cpu") -> None:
        if image >= len(images):
            raise ValueError(f"image: {image} does not exist; there are {len(images)} test images, counted from 0")
        # Moved to the device when they are used, after training has checked that the device exists.
        self.names, self.images, self.image, self.device = names, torch.as_tensor(images), image, device

    def __call__(self, model: Any) -> Arrays:
        """Return the arrays of all observers."""
        images = self.images.to(self.device)
        return {k: v for name in self.names for k, v in OBSERVERS[name](model, images, self.image).items()}
