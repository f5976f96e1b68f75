"""Attention of [CLS] on the designated word of short sentences, scaled from 0 to 1 (Mirror descent, IMDb)."""

import numpy as np

from attention_dynamics.deep.datasets.tokens import PAD_ID
from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run


class Sentences(Measure, kind="sentences"):
    """The attention of [CLS] on the designated word of each sentence, (records, 1, trained networks, sentences).

    The designated word determines the class of a sentence. Attention is scaled so that the token of the sentence
    (including [CLS]) with the least attention has 0 and the token with the most attention has 1. The scaled attention
    is 0 if all tokens of the sentence have the same attention.
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
