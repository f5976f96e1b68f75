"""How much of the attention of [CLS] is on the designated word of short sentences (Mirror descent 4.2)."""

import numpy as np

from attention_dynamics.deep.datasets.encoding import PAD_ID
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run

SERIES = ("designated_attention",)
DATA = ("texts",)
OBSERVED = "sentences"


def measure(run: Run) -> dict[str, Array]:
    """(records, 1, trainings, S): the attention on the word, so scaled that the tokens of its sentence, [CLS] included,
    get from 0 to 1; 0 where all get as much.
    """
    attention, sentences = run.trajectory["sentence_attention"], run.problem.sentences
    words = sentences.tokens != PAD_ID
    lowest = np.where(words, attention, np.inf).min(-1)
    extent = np.where(words, attention, -np.inf).max(-1) - lowest
    designated = np.take_along_axis(attention, sentences.designated.reshape(1, 1, 1, -1, 1), axis=-1)[..., 0]
    return {"designated_attention": np.where(extent == 0, 0, designated - lowest) / np.where(extent == 0, 1, extent)}
