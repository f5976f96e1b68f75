"""Share of the attention of [CLS] on the designated word of short sentences (Mirror descent, IMDb)."""

import numpy as np

from attention_dynamics.deep.datasets.tokens import PAD_ID
from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run


class Sentences(Measure, kind="sentences"):
    """The attention on the designated word, (records, 1, trainings, S).

    It is scaled so that the tokens of a sentence, [CLS] included, get from 0 to 1; 0 where all get as much.
    """

    series = ("designated_attention",)
    data = ("texts",)
    required_observation = "sentences"

    def measure(self, run: Run) -> dict[str, Array]:
        attention, sentences = run.trajectory["sentence_attention"], run.problem.sentences
        words = sentences.tokens != PAD_ID
        lowest = np.where(words, attention, np.inf).min(-1)
        extent = np.where(words, attention, -np.inf).max(-1) - lowest
        designated = np.take_along_axis(attention, sentences.designated.reshape(1, 1, 1, -1, 1), axis=-1)[..., 0]
        scaled = np.where(extent == 0, 0, designated - lowest) / np.where(extent == 0, 1, extent)
        return {"designated_attention": scaled}
