"""Published numbers that claims are checked against."""

import csv
from pathlib import Path

import numpy as np

from attention_dynamics.bounded_files import read_bounded
from attention_dynamics.problems.problem import Array

MAX_BYTES = 10_000_000


def published(module_file: str, name: str) -> dict[str, Array]:
    """Return the columns of ``<name>.csv``, a file in the folder of a module: column heading -> numbers, (rows,).

    Lines that begin with # are comments; the first one says where the numbers are from.
    module_file: ``__file__`` of the module. name: the name of the module without "_claims", optionally followed by "_"
    and more: "fig4" or "fig4_losses" for fig4_claims.py. The workflow finds the files of a figure by this prefix and
    reruns its jobs when one of them changes.
    Raises ValueError for another name, and OSError if the file cannot be read.
    """
    module = Path(module_file)
    owner = module.stem.removesuffix("_claims")
    if name != owner and not name.startswith(f"{owner}_"):
        raise ValueError(
            f"{name}: {module.name} can only read files of published numbers whose names begin with {owner}"
        )
    text = read_bounded(module.with_name(f"{name}.csv"), MAX_BYTES).decode()
    rows = list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))
    return {column: np.array([float(row[column]) for row in rows]) for column in rows[0]}
