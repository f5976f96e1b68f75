"""Decoders on running text."""

from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from attention_dynamics.deep.training.schedule import Schedule
from attention_dynamics.deep.trainings.deep_training import DeepTraining
from attention_dynamics.training import NO_CONTEXT, Iterated, JobContext
from attention_dynamics.types import Count

if TYPE_CHECKING:
    from attention_dynamics.deep.problems.encoded_corpus import EncodedCorpus


class LanguageModelling(DeepTraining, Iterated, kind="language_modelling"):
    """A decoder on running text, read in order and from the beginning again after the last segment.

    record_every: steps between evaluations and observations of the decoder; it divides ``steps``. segment: number of
    words that are read at once; a batch has ``batch_size`` segments from different places of the text.
    """

    data = "corpus"

    segment: Count

    @model_validator(mode="after")
    def _check_records(self) -> Self:
        if self.record_digits or self.steps % self.record_every:
            raise ValueError(f"record_every: must divide the {self.steps} steps, and record_digits must not be set")
        return self

    def schedule(self, seed: int) -> Schedule:
        """See ``DeepTraining.schedule``; an epoch consists of the steps between two records."""
        epochs = self.steps // self.record_every
        return Schedule(
            epochs=epochs,
            batch_size=self.batch_size,
            seed=seed,
            snapshots=tuple(range(epochs + 1)),
            epoch_steps=self.record_every,
            shuffled=False,
        )

    def train(self, problem: "EncodedCorpus", context: JobContext = NO_CONTEXT) -> dict[str, NDArray[Any]]:
        """Return the trajectory of ``train_grid``, with steps of the optimizer as "step".

        test_loss and the observations of ``DecoderObserver`` are on the validation text.
        """
        from attention_dynamics.deep.language.segments import cut_segments
        from attention_dynamics.deep.language.text_observers import DecoderObserver
        from attention_dynamics.deep.language.token_loss import token_loss
        from attention_dynamics.deep.training.grid import train_grid
        from attention_dynamics.deep.training.training_checks import Split

        train = Split(*cut_segments(problem.train_ids, self.batch_size, self.segment))
        valid = Split(*cut_segments(problem.valid_ids, 1, self.segment))
        words = len(problem.words)
        trajectory = train_grid(
            self,
            context,
            {"train": train, "test": valid},
            partial(self.network.build, (self.segment, words), words),
            loss=token_loss,
            observe=DecoderObserver(valid.inputs, context.device),
        )
        return trajectory | {"step": np.array(self.recorded_steps)}
