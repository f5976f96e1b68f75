"""Load data of any kind from stored arrays."""

import importlib
from collections.abc import Mapping
from typing import Any, cast

from numpy.typing import NDArray

from attention_dynamics.problems.data import Data

# Kind -> "module:class". Modules are imported by name, so that reading one kind does not import the others.
DATA = {
    "tokens": "attention_dynamics.problems.problem:Problem",
    "sequences": "attention_dynamics.sequences.sampled:SampledSequences",
    "classes": "attention_dynamics.sequences.token_classes:TokenClasses",
    "vocabulary": "attention_dynamics.sequences.problems.vocabulary:Vocabulary",
    "images": "attention_dynamics.deep.datasets.labelled:Images",
    "corpus": "attention_dynamics.deep.datasets.labelled:EncodedCorpus",
    "texts": "attention_dynamics.deep.datasets.labelled:EncodedTexts",
}


def from_arrays(arrays: Mapping[str, NDArray[Any]]) -> Data:
    """Return the data from the arrays that ``to_arrays`` returned, as an instance of the class DATA[kind].

    Raises ValueError if the kind is missing or unknown.
    """
    if "kind" not in arrays:
        raise ValueError(
            f"the file has no array 'kind', only {sorted(arrays)}; delete it and run the same command again"
        )
    kind = str(arrays["kind"])
    if kind not in DATA:
        raise ValueError(
            f"data of kind {kind!r} are unknown, only {', '.join(DATA)}; delete the file and run the same command again"
        )
    module, _, name = DATA[kind].partition(":")
    return cast(Data, getattr(importlib.import_module(module), name).from_arrays(arrays))
