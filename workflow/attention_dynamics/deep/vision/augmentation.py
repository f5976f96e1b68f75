"""Random variants of images."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional


class Augmentation:
    """Random shifts of every image of a batch by up to ``crop`` pixels along both axes, and flips with probability 1/2.

    Pixels that are shifted in are ``black``, (C, 1, 1), as in a crop from an image with a border. Draws from
    torch's generator, that of the CPU, so that a device draws what the CPU does.
    """

    def __init__(self, crop: int, flip: bool, black: NDArray[np.float32], device: str = "cpu") -> None:
        self.crop, self.flip, self.black = crop, flip, torch.tensor(black, device=device)

    def __call__(self, images: Tensor) -> Tensor:
        """Return variants (n, C, H, W) of images (n, C, H, W)."""
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
