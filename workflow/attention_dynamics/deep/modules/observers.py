"""Observation of networks while they train: their attention, its sparsity and entropy, and the sizes of weights."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from attention_dynamics.deep.trainer.record import Arrays
from attention_dynamics.deep.weight_histogram import observe_weights

BATCH_SIZE = 100
# Added to probabilities before the logarithm, as in the published code of Scan and snap.
ENTROPY_EPSILON = 1e-8


def cls_attention(probabilities: Tensor) -> Tensor:
    """Return the attention from [CLS], averaged over the heads: (n, heads, T, T) -> (n, T) (Max-margin Fig 6)."""
    return probabilities[:, :, 0].mean(1)


def soft_sparsity(probabilities: Tensor) -> Tensor:
    """Return 1 / |s|_2^2, (...), of probabilities s, (..., T): 1 if only one is not zero, T if all are equal.

    See Max-margin Fig 7.
    """
    return 1 / probabilities.square().sum(-1)


def key_query_norm(matrices: Tensor) -> Tensor:
    """Return the Frobenius norm, (), of a layer's W_K W_Q', which is the sum over its heads (Max-margin Fig 7).

    matrices: (heads, dim, dim), W_K W_Q' of each head.
    """
    norm: Tensor = torch.linalg.matrix_norm(matrices.sum(0))
    return norm


def attention_entropy(probabilities: Tensor) -> Tensor:
    """Return -sum_t a_t log(a_t + 1e-8), (...), in nats, of probabilities a, (..., T). It is log T if all are equal.

    See Scan and snap Figs 7 and 10.
    """
    return -(probabilities * (probabilities + ENTROPY_EPSILON).log()).sum(-1)


def observe_cls_attention(model: Any, images: Tensor, image: int) -> Arrays:
    """Return observations of the last layer on images, (n, channels, height, width) (Max-margin Figs 6 and 7).

    soft_sparsity: (), soft sparsity of the attention from [CLS], averaged over the heads; mean over the images.
    key_query_norm: (), norm of W_K W_Q'. attention_map: (T,), attention from [CLS] to [CLS] and all patches in image
    number ``image``, mean over the heads.
    """
    attention = torch.cat([cls_attention(model.last_attention(part)) for part in torch.split(images, BATCH_SIZE)])
    return {
        "soft_sparsity": soft_sparsity(attention).mean().cpu().double().numpy(),
        "key_query_norm": key_query_norm(model.key_query()).cpu().double().numpy(),
        "attention_map": attention[image].cpu().double().numpy(),
    }


class ImageObserver:
    """Observer of a network on images, (n, channels, height, width).

    names: any of "cls_attention" (``observe_cls_attention``) and "weights" (``observe_weights``). image: index of the
    image whose attention map is recorded. Raises ValueError if there is no image with this index.
    """

    def __init__(self, names: Sequence[str], images: NDArray[np.float32], image: int, device: str = "cpu") -> None:
        if image >= len(images):
            raise ValueError(f"image: {image} does not exist; there are {len(images)} test images, counted from 0")
        # Moved to the device only in calls, because training first checks that the device exists.
        self.names, self.images, self.image, self.device = names, torch.as_tensor(images), image, device

    def __call__(self, model: Any) -> Arrays:
        """Return the arrays of all observers."""
        observed = observe_weights(model) if "weights" in self.names else {}
        if "cls_attention" in self.names:
            observed |= observe_cls_attention(model, self.images.to(self.device), self.image)
        return observed


class DecoderObserver:
    """Observer of the attention in a decoder's lowest layer. segments: (n, T), token ids of n segments of text."""

    def __init__(self, segments: NDArray[np.int32], device: str = "cpu") -> None:
        # Moved to the device only in calls, because training first checks that the device exists.
        self.segments, self.device = torch.as_tensor(segments), device

    def __call__(self, model: Any) -> Arrays:
        """Return arrays by name.

        attention_entropy, largest_attention: (), the entropy and the largest probability of the attention of a
        position, averaged over segments, positions and heads. attention_map: (segment, segment), the attention of each
        position of the first segment, mean over the heads.
        """
        parts = [model.attention(part.to(self.device)) for part in torch.split(self.segments, BATCH_SIZE)]
        entropy = torch.cat([attention_entropy(part).flatten(1).mean(1) for part in parts])
        largest = torch.cat([part.amax(-1).flatten(1).mean(1) for part in parts])
        return {
            "attention_entropy": entropy.mean().cpu().double().numpy(),
            "largest_attention": largest.mean().cpu().double().numpy(),
            "attention_map": parts[0][0].mean(0).cpu().double().numpy(),
        }


class ClassifierObserver:
    """Observer of a classifier of texts.

    names: any of "weights" (``observe_weights``) and "sentences" (attention on ``sentences``). sentences: (S, T), the
    numbers of the T words of S sentences. Raises ValueError for the name "sentences" if ``sentences`` is None.
    """

    def __init__(self, names: Sequence[str], sentences: NDArray[np.int32] | None, device: str = "cpu") -> None:
        if "sentences" in names and sentences is None:
            raise ValueError("observe: no sentence is listed for this data set whose words are all in the vocabulary")
        # Moved to the device only in calls, because training first checks that the device exists.
        self.names, self.device = names, device
        self.sentences = None if sentences is None else torch.as_tensor(sentences)

    def __call__(self, model: Any) -> Arrays:
        """Return arrays by name.

        sentence_attention: (S, T), the last block's attention from [CLS], mean over the heads, 0 on padding. Arrays of
        weights: see ``observe_weights``.
        """
        observed = observe_weights(model) if "weights" in self.names else {}
        if self.sentences is not None and "sentences" in self.names:
            attention = cls_attention(model.last_attention(self.sentences.to(self.device)))
            observed["sentence_attention"] = attention.cpu().double().numpy()
        return observed
