"""Weights of an encoder, from one training to the next and from a published file (Fast rates Figs 1 and 4).

The networks are those of ``language.bert``, the weights those of their ``encoder``. Nothing here needs transformers.
"""

from collections.abc import Mapping

import torch
from numpy.typing import NDArray
from torch import nn

# The layer on [CLS], which naming masked pieces does not train.
POOLER = "pooler."
# Where a training stores an encoder's weights, and what older files call those of layer norms.
STORED = "weights/"
OLDER = {"gamma": "weight", "beta": "bias"}


def encoder_weights(model: nn.Module) -> dict[str, NDArray]:
    """The weights of the encoder as "weights/<name>"."""
    return {STORED + name: value.cpu().numpy() for name, value in model.encoder.state_dict().items()}


def put_weights(model: nn.Module, arrays: Mapping[str, NDArray]) -> None:
    """Put stored weights into the encoder; a layer on [CLS] that they lack stays as it is.

    Raises ValueError, naming one, where weights are missing, superfluous or of another shape.
    """
    given = {name.removeprefix(STORED): array for name, array in arrays.items() if name.startswith(STORED)}
    own = model.encoder.state_dict()
    for name in sorted(own.keys() ^ given.keys()):
        if name in given or not name.startswith(POOLER):
            raise ValueError(f"pre-trained weights: {name} is {'superfluous' if name in given else 'missing'}")
    for name, array in given.items():
        if own[name].shape != array.shape:
            there = tuple(own[name].shape)
            raise ValueError(f"pre-trained weights: {name} has shape {array.shape}, that of the network {there}")
    model.encoder.load_state_dict({name: torch.as_tensor(array) for name, array in given.items()}, strict=False)


def published_names(arrays: Mapping[str, NDArray]) -> dict[str, NDArray]:
    """The encoder's weights in a published file of a model for pre-training, under the names of ``encoder_weights``."""
    prefix, found = "bert.", {}
    for name, array in arrays.items():
        if name.startswith(prefix) and not name.endswith("position_ids"):
            *path, last = name.removeprefix(prefix).split(".")
            found[STORED + ".".join([*path, OLDER.get(last, last)])] = array
    return found
