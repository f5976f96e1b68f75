"""Scaling of pixels for networks. Does not import torch."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Scaling = Literal["unit", "signed", "standardized", "published_cifar10"]
# Mean and standard deviation of every channel; of "published_cifar10" as in the code of Mirror descent, whose
# deviations are smaller than those of all pixels.
CONSTANTS = {
    "unit": (0.0, 1.0),
    "signed": (0.5, 0.5),
    "published_cifar10": ((0.4914, 0.4822, 0.4465), (0.2023, 0.1994, 0.2010)),
}


class PixelScaling:
    """Scaling of pixels from 0 to 255.

    "unit" maps them to [0, 1]. Other scalings then shift and divide every channel: by CONSTANTS, or ("standardized") so
    that ``images`` have mean 0 and standard deviation 1.

    images: (N, H, W, C). black: the image of 0, (C, 1, 1).
    """

    def __init__(self, scaling: Scaling, images: NDArray[np.uint8]) -> None:
        channels = images.shape[-1]
        if scaling == "standardized":
            mean, deviation = images.mean((0, 1, 2)) / 255, images.std((0, 1, 2)) / 255
        else:
            mean, deviation = CONSTANTS[scaling]
        self._mean, self._deviation = (np.broadcast_to(x, channels)[:, None, None] for x in (mean, deviation))
        self.black = (-self._mean / self._deviation).astype(np.float32)

    def __call__(self, images: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Return (N, C, H, W) of (N, H, W, C)."""
        unit = images.transpose(0, 3, 1, 2) / np.float32(255)
        return np.ascontiguousarray((unit - self._mean) / self._deviation, dtype=np.float32)
