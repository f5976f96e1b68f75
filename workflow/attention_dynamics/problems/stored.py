"""Data of any kind, read back from the arrays that the store has of it."""

import importlib
from collections.abc import Mapping
from typing import Any, cast

from numpy.typing import NDArray

from attention_dynamics.problems.data import Data

# Named, not imported: whoever reads one kind of data needs the class of no other.
DATA = {
    "tokens": "attention_dynamics.problems.problem:Problem",
    "sequences": "attention_dynamics.sequences.sampled:SampledSequences",
    "classes": "attention_dynamics.sequences.token_classes:TokenClasses",
    "vocabulary": "attention_dynamics.sequences.problems.vocabulary:Vocabulary",
    "images": "attention_dynamics.deep.datasets.labelled_images:Images",
    "corpus": "attention_dynamics.deep.problems.encoded_corpus:EncodedCorpus",
    "texts": "attention_dynamics.deep.problems.encoded_texts:EncodedTexts",
}


def from_arrays(arrays: Mapping[str, NDArray[Any]]) -> Data:
    """Return the data whose ``to_arrays`` these are, an instance of the class that DATA has for the stored kind.

    Raises ValueError where no kind is stored, or one that there is none of.
    """
    if "kind" not in arrays:
        raise ValueError(f"these data do not say of which kind they are, they have {sorted(arrays)}; delete the file")
    kind = str(arrays["kind"])
    if kind not in DATA:
        raise ValueError(f"there are no data of kind {kind!r}, only {', '.join(DATA)}; delete the file")
    module, _, name = DATA[kind].partition(":")
    return cast(Data, getattr(importlib.import_module(module), name).from_arrays(arrays))
