"""Images as networks read them: scaled pixels, and random variants of every batch."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

# Mean and standard deviation of each channel. Those of "published_cifar10" are from the code of Mirror descent; these
# deviations are smaller than the standard deviations over all pixels of CIFAR-10.
CONSTANTS = {
    "unit": (0.0, 1.0),
    "signed": (0.5, 0.5),
    "published_cifar10": ((0.4914, 0.4822, 0.4465), (0.2023, 0.1994, 0.2010)),
}


class PixelScaling:
    """Scaling of pixels from 0 to 255.

    "unit" maps them to [0, 1]. Other scalings then subtract a mean from every channel and divide by a deviation: those
    in CONSTANTS, or, for "standardized", those of ``images``.

    images: (N, H, W, C). The attribute ``black``, (C, 1, 1), is the scaled value of a black pixel.
    """

    def __init__(self, scaling: str, images: NDArray[np.uint8]) -> None:
        channels = images.shape[-1]
        if scaling == "standardized":
            mean, deviation = images.mean((0, 1, 2)) / 255, images.std((0, 1, 2)) / 255
        else:
            mean, deviation = CONSTANTS[scaling]
        self._mean, self._deviation = (np.broadcast_to(x, channels)[:, None, None] for x in (mean, deviation))
        self.black = (-self._mean / self._deviation).astype(np.float32)

    def __call__(self, images: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Return the scaled images, (N, C, H, W), of images (N, H, W, C)."""
        unit = images.transpose(0, 3, 1, 2) / np.float32(255)
        return np.ascontiguousarray((unit - self._mean) / self._deviation, dtype=np.float32)


class Augmentation:
    """Random shifts of every image by up to ``crop`` pixels along both axes, and left-right flips with probability 1/2.

    Pixels that are shifted in are ``black``, (C, 1, 1), as in a crop from an image with a border. Random numbers are
    drawn from torch's CPU generator on every device, so that a GPU gets the same variants.
    """

    def __init__(self, crop: int, flip: bool, black: NDArray[np.float32], device: str = "cpu") -> None:
        self.crop, self.flip, self.black = crop, flip, torch.tensor(black, device=device)

    def __call__(self, images: Tensor) -> Tensor:
        """Return random variants, (n, C, H, W), of images (n, C, H, W)."""
        n, _, height, width = images.shape
        if self.crop:
            padded = functional.pad(images - self.black, [self.crop] * 4) + self.black
            corner = torch.randint(2 * self.crop + 1, (2, n, 1)).to(images.device)
            rows, columns = (
                start + torch.arange(size, device=images.device)
                for start, size in zip(corner, (height, width), strict=True)
            )
            which = torch.arange(n, device=images.device)[:, None, None]
            images = padded[which, :, rows[:, :, None], columns[:, None, :]].permute(0, 3, 1, 2)
        if self.flip:
            flipped = (torch.rand(n) < 0.5).to(images.device)[:, None, None, None]
            images = torch.where(flipped, images.flip(-1), images)
        return images
