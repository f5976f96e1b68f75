"""A problem of any kind from what the store has of it."""

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from attention_dynamics.datasets.images import Images
from attention_dynamics.problems.corpus import EncodedCorpus
from attention_dynamics.problems.problem import Problem
from attention_dynamics.problems.texts import EncodedTexts
from attention_dynamics.sequences.vocabulary import Vocabulary
from attention_dynamics.sequences.sampled import SampledSequences

# The array by which each kind is known.
KINDS = {
    "tokens": Problem, "counts": SampledSequences, "M": Vocabulary, "train_images": Images, "train_ids": EncodedCorpus,
    "train_tokens": EncodedTexts,
}  # fmt: skip


def from_arrays(arrays: Mapping[str, NDArray]) -> Any:
    """The problem whose ``to_arrays`` these are, as one of the KINDS. Raises ValueError where it is none of them."""
    for name, kind in KINDS.items():
        if name in arrays:
            return kind.from_arrays(dict(arrays))
    raise ValueError(f"these arrays are no problem: {sorted(arrays)}")
