"""A running text as batches of segments, each to be continued by one token (Scan and snap Figs 7 and 10)."""

import numpy as np

from attention_dynamics.deep.datasets.vocabulary import Ids


def cut_segments(ids: Ids, columns: int, length: int) -> tuple[Ids, Ids]:
    """Return the inputs and the targets, which are one token later, from a text (words,), each (segments, length).

    The text is cut into ``columns`` columns of equal length. The first segments of all columns come first, then the
    second ones, as in the batches of language models. Words that do not fill a column or a segment are dropped.
    Raises ValueError for a text that has no segment in every column.
    """
    height = len(ids) // columns
    count = (height - 1) // length
    if count < 1:
        raise ValueError(f"words: {len(ids)} are too few for {columns} columns of {length + 1}")
    table = ids[: columns * height].reshape(columns, height)
    inputs, targets = (table[:, k : k + count * length].reshape(columns, count, length) for k in (0, 1))
    rows = [np.ascontiguousarray(x.swapaxes(0, 1)).reshape(-1, length) for x in (inputs, targets)]
    return rows[0], rows[1]
