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
    """A decoder on running text, read in its order, without end: after its last segment comes its first.

    record_every: at which steps, which end with one of them, the decoder is evaluated and observed. segment: number of
    words that are read at once; a batch has so many segments, from as many places of the text.
    """

    data = "corpus"

    segment: Count

    @model_validator(mode="after")
    def _check_records(self) -> Self:
        if self.record_digits or self.steps % self.record_every:
            raise ValueError(f"record_every: needs to divide the {self.steps} steps, without record_digits")
        return self

    def schedule(self, seed: int) -> Schedule:
        """See ``DeepTraining.schedule``; an epoch are the steps from one record to the next."""
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
        """Return what ``train_grid`` returns, with "step" the optimizer's.

        test_loss is that on the validation text, and so is what ``DecoderObserver`` observes.
        """
        from attention_dynamics.deep.determinism import reproducible
        from attention_dynamics.deep.language.segments import cut_segments
        from attention_dynamics.deep.language.text_observers import DecoderObserver
        from attention_dynamics.deep.language.token_loss import token_loss
        from attention_dynamics.deep.training.feasibility import Split
        from attention_dynamics.deep.training.grid import train_grid

        reproducible(context.device)
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
