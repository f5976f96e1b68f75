"""Share of the attention of [CLS] on the designated word of short sentences (Mirror descent, IMDb)."""

import numpy as np

from attention_dynamics.deep.datasets.tokens import PAD_ID
from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run


class Sentences(Measure, kind="sentences"):
    """The attention of [CLS] on the designated word of each sentence, (records, 1, trainings, sentences).

    It is scaled so that, of the tokens of a sentence with [CLS], the one with the least attention has 0 and the one
    with the most has 1; 0 if all have the same.
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
