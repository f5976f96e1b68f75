"""Weights of an encoder, from one training to the next and from a published file (Fast rates Figs 1 and 4).

The networks are those of ``bert_modules``, the weights those of their ``encoder``.
"""

from collections.abc import Mapping
from typing import Any

import torch
from numpy.typing import NDArray

from attention_dynamics.deep.training.record import Arrays

# The layer on [CLS], which a pre-training on masked pieces does not have.
POOLER = "pooler."
# Prefix of an encoder's weights in a trajectory.
PREFIX = "weights/"
# Names of the weights of layer norms in older files.
OLDER_NAMES = {"gamma": "weight", "beta": "bias"}


def read_encoder_weights(model: Any) -> Arrays:
    """Return the weights of the encoder as "weights/<name>"."""
    return {PREFIX + name: value.cpu().numpy() for name, value in model.encoder.state_dict().items()}


def put_encoder_weights(model: Any, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Put stored weights into the encoder; a layer on [CLS] that they lack stays as it is.

    Raises ValueError, naming one, where weights are missing, unexpected or of another shape.
    """
    given = {name.removeprefix(PREFIX): array for name, array in arrays.items() if name.startswith(PREFIX)}
    own = model.encoder.state_dict()
    for name in sorted(own.keys() ^ given.keys()):
        if name in given or not name.startswith(POOLER):
            raise ValueError(f"pre-trained weights: {name} is {'unexpected' if name in given else 'missing'}")
    for name, array in given.items():
        if own[name].shape != array.shape:
            expected = tuple(own[name].shape)
            raise ValueError(f"pre-trained weights: {name} has shape {array.shape}, but the network needs {expected}")
    model.encoder.load_state_dict({name: torch.as_tensor(array) for name, array in given.items()}, strict=False)


def rename_published_weights(arrays: Mapping[str, NDArray[Any]]) -> Arrays:
    """Return the encoder's weights in a published file, under the names of ``read_encoder_weights``.

    arrays: of a model for pre-training, with the names in the file.
    """
    published, found = "bert.", {}
    for name, array in arrays.items():
        if name.startswith(published) and not name.endswith("position_ids"):
            *path, last = name.removeprefix(published).split(".")
            found[PREFIX + ".".join([*path, OLDER_NAMES.get(last, last)])] = array
    return found
