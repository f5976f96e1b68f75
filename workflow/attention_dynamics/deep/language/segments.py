"""A running text as batches of segments, each to be continued by one token (Scan and snap Figs 7 and 10)."""

import numpy as np

from attention_dynamics.deep.datasets.vocabulary import Ids


def cut_segments(ids: Ids, columns: int, length: int) -> tuple[Ids, Ids]:
    """Return inputs and, one token later, targets, each (segments, length), from a text (words,).

    The text is cut into so many columns, one after the other; ``columns`` rows at a time are the segments of all of
    them side by side, as batches of language models are. What does not fill a column or a segment is left out.
    Raises ValueError for a text that has no segment in every column.
    """
    height = len(ids) // columns
    count = (height - 1) // length
    if count < 1:
        raise ValueError(f"words: {len(ids)} of them do not make {columns} columns of {length + 1}")
    table = ids[: columns * height].reshape(columns, height)
    inputs, targets = (table[:, k : k + count * length].reshape(columns, count, length) for k in (0, 1))
    rows = [np.ascontiguousarray(x.swapaxes(0, 1)).reshape(-1, length) for x in (inputs, targets)]
    return rows[0], rows[1]
