"""Published numbers that claims are checked against."""

import csv
from pathlib import Path

import numpy as np

from attention_dynamics.bounded_files import read_bounded
from attention_dynamics.problems.problem import Array

MAX_BYTES = 10_000_000


def published(module_file: str, name: str) -> dict[str, Array]:
    """Return the columns of ``<name>.csv`` beside a module, (rows,) each, by the names in its header.

    Lines that begin with # are comments; the first one says where the numbers are from. module_file: ``__file__`` of
    the module, which the name begins with, so that the jobs of its figures depend on the numbers: fig4.csv or
    fig4_losses.csv for fig4_claims.py. Raises ValueError for another name, and OSError where there is no such file.
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
