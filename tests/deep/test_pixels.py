"""Scaling of pixels, random variants of images, and the bins of weights."""

import numpy as np
import pytest
import torch

from attention_dynamics.deep import weight_histogram
from attention_dynamics.deep.modules.images import Augmentation, PixelScaling

IMAGES = np.random.default_rng(0).integers(0, 256, (50, 6, 5, 3), dtype=np.uint8)


@pytest.mark.parametrize(("scaling", "low", "high"), [("unit", 0, 1), ("signed", -1, 1)])
def test_black_and_white_map_to_range_ends(scaling, low, high):
    pixels = PixelScaling(scaling, IMAGES)
    black, white = (pixels(np.full((1, 6, 5, 3), value, np.uint8)) for value in (0, 255))
    assert black.shape == (1, 3, 6, 5)
    assert black.dtype == np.float32
    assert (black == low).all()
    assert (white == high).all()
    assert (pixels.black == low).all()


def test_standardized_channels_have_mean_zero_and_deviation_one():
    pixels = PixelScaling("standardized", IMAGES)
    scaled = pixels(IMAGES)
    np.testing.assert_allclose(scaled.mean((0, 2, 3)), 0, atol=1e-5)
    np.testing.assert_allclose(scaled.std((0, 2, 3)), 1, atol=1e-5)
    np.testing.assert_allclose(pixels(np.zeros_like(IMAGES))[0, :, 0, 0], pixels.black[:, 0, 0], rtol=1e-6)


def test_flip_mirrors_half_of_images():
    images = torch.rand(400, 1, 3, 4)
    torch.manual_seed(0)
    varied = Augmentation(0, True, np.zeros((1, 1, 1), np.float32))(images)
    mirrored = (varied == images.flip(-1)).all((1, 2, 3))
    same = (varied == images).all((1, 2, 3))
    assert (mirrored ^ same).all()
    assert 150 < mirrored.sum() < 250


def test_crop_shifts_image_and_pads_with_black():
    image, black = torch.arange(1.0, 13).reshape(1, 1, 3, 4), -5.0
    torch.manual_seed(0)
    varied = Augmentation(1, False, np.full((1, 1, 1), black, np.float32))(image.repeat(200, 1, 1, 1))
    bordered = torch.full((5, 6), black)
    bordered[1:4, 1:5] = image[0, 0]
    shifts = [bordered[i : i + 3, j : j + 4] for i in range(3) for j in range(3)]
    which = [[bool(torch.equal(one[0], shift)) for shift in shifts] for one in varied]
    assert {sum(row) for row in which} == {1}
    assert {row.index(True) for row in which} == set(range(9))


def test_augmentation_uses_torch_generator():
    augment = Augmentation(2, True, np.zeros((3, 1, 1), np.float32))
    images = torch.rand(8, 3, 6, 5)
    torch.manual_seed(1)
    first, second = augment(images), augment(images)
    torch.manual_seed(1)
    assert torch.equal(augment(images), first)
    assert not torch.equal(second, first)


def test_values_beyond_bins_count_in_last():
    counts = weight_histogram.count_per_bin(np.array([[0, 0.0049], [0.0051, 2], [7, 1.999]]))
    assert counts.shape == (weight_histogram.BINS,)
    assert (counts[0], counts[1], counts[-1], counts.sum()) == (2, 1, 3, 6)
