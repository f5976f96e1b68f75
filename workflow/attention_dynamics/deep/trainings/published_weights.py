"""Weights that others have pre-trained, in the place of a pre-training (Fast rates Figs 1 and 4)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.datasets.bert import load_weights
from attention_dynamics.language.pretrained import published_names
from attention_dynamics.problems.texts import EncodedTexts


def train(problem: EncodedTexts, spec: Mapping[str, Any]) -> dict[str, NDArray]:
    """The encoder of ``bert-base-uncased``: "weights/<name>", and "step", which is 0.

    spec: source and mirror, as ``datasets.bert.load_weights`` takes them. Raises what that raises.
    """
    return {"step": np.zeros(1, dtype=np.int64), **published_names(load_weights(spec["source"], spec["mirror"]))}
