"""Observation of networks on texts while they train (Scan and snap Figs 7 and 10, Mirror descent, IMDb)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from attention_dynamics.deep.language.entropy import attention_entropy
from attention_dynamics.deep.training.record import Arrays
from attention_dynamics.deep.training.weight_histogram import observe_weights

BATCH_SIZE = 100


class DecoderObserver:
    """Observer of a decoder: the lowest layer's attention on segments (n, segment), and its map on the first one."""

    def __init__(self, segments: NDArray[np.int32], device: str = "cpu") -> None:
        # Moved to the device when they are used: by then training has checked that there is one.
        self.segments, self.device = torch.as_tensor(segments), device

    def __call__(self, model: Any) -> Arrays:
        """Return arrays by name.

        attention_entropy, largest_attention: (), means over segments, positions and heads.
        attention_map: (segment, segment), the attention of each position, mean over the heads.
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

    names: "weights", see ``observe_weights``, and "sentences", the attention on these, (S, T). Raises ValueError for
    "sentences" where there are none.
    """

    def __init__(self, names: Sequence[str], sentences: NDArray[np.int32] | None, device: str = "cpu") -> None:
        if "sentences" in names and sentences is None:
            raise ValueError("observe: no sentence is listed for this data set whose words are all in the vocabulary")
        # Moved to the device when they are used, after training has checked that the device exists.
        self.names, self.device = names, device
        self.sentences = None if sentences is None else torch.as_tensor(sentences)

    def __call__(self, model: Any) -> Arrays:
        """Return arrays by name.

        sentence_attention: (S, T), the last block's from [CLS], mean over the heads, 0 on padding.
        """
        observed = observe_weights(model) if "weights" in self.names else {}
        if self.sentences is not None and "sentences" in self.names:
            attention = model.last_attention(self.sentences.to(self.device))[:, :, 0].mean(1)
            observed["sentence_attention"] = attention.cpu().double().numpy()
        return observed
