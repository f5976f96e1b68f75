"""The embedded set: handwritten digits of 8 x 8 pixels that come with scikit-learn (UCI; Alpaydin, Kaynak 1998)."""

import numpy as np

from attention_dynamics.deep.datasets.labelled_images import Images, Pixels

SIDE = 8
MAX_VALUE = 16
FOLDS = 5


def load_embedded(shape: tuple[int, int, int] = (SIDE, SIDE, 1), note: str = "") -> Images:
    """Return 1,437 images to train on and 360 to test on: every fifth, the images sorted by class.

    So each class has a fifth of its images there, to within one; otherwise the order is scikit-learn's.

    Their values v = 0, ..., 16 become round(255 v / 16), from which round(16 x / 255) brings them back.
    shape: (H, W, C) of the images; see ``upscale``, also for what is raised.
    """
    # Importing it takes a second, which only this data set needs.
    from sklearn.datasets import load_digits

    data = load_digits()
    images = upscale(np.rint(data.images * (255 / MAX_VALUE)).astype(np.uint8), shape)
    labels = data.target.astype(np.int64)
    test = np.zeros(len(labels), dtype=bool)
    test[np.argsort(labels, kind="stable")[::FOLDS]] = True
    return Images(images[~test], labels[~test], images[test], labels[test], "digits", "embedded", note)


def upscale(images: Pixels, shape: tuple[int, int, int]) -> Pixels:
    """Return images (N, 8, 8) as (N, H, W, C): every pixel a square as large as fits, in each channel, with a margin of
    zeros.

    28 x 28 is 8 x 8 squares of 3 x 3 and a margin of 2, 32 x 32 is squares of 4 x 4. Raises ValueError for a side below
    8.
    """
    height, width, channels = shape
    factor = min(height, width) // SIDE
    if factor < 1:
        raise ValueError(f"shape: {height} x {width} is smaller than {SIDE} x {SIDE}")
    squares = images.repeat(factor, axis=1).repeat(factor, axis=2)
    margins = [((side - SIDE * factor) // 2, (side - SIDE * factor + 1) // 2) for side in (height, width)]
    return np.pad(squares, [(0, 0), *margins])[..., None].repeat(channels, axis=-1)
