"""Published weights, which replace a pre-training (Fast rates Figs 1 and 4)."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.deep.trainings.pretraining import Pretraining
from attention_dynamics.training import NO_CONTEXT, JobContext

if TYPE_CHECKING:
    from attention_dynamics.deep.problems.encoded_texts import EncodedTexts


class PublishedWeights(Pretraining, kind="published_weights"):
    """Weights of ``bert-base-uncased``, which replace a run of ``MaskedLanguageModelling``."""

    uses_source = True
    vocabularies = ("bert-base-uncased",)

    @property
    def sizes(self) -> dict[str, Any]:
        """Settings of ``bert-base-uncased`` that determine the shapes of its weights."""
        return {"dim": 768, "depth": 12, "heads": 12, "mlp": 3072, "positions": 512}

    def records_step(self, step: float) -> bool:
        """Return whether a step is 0, the only one."""
        return step == 0

    @property
    def record_schedule(self) -> str:
        """The recorded step, for messages."""
        return "0"

    def train(self, problem: "EncodedTexts", context: JobContext = NO_CONTEXT) -> dict[str, NDArray[Any]]:
        """Return the encoder of ``bert-base-uncased``: "weights/<name>", and "step", which is 0.

        The weights are read from ``context.source``. Raises as ``load_weights``.
        """
        from attention_dynamics.deep.datasets.published_bert import load_weights
        from attention_dynamics.deep.language.encoder_weights import rename_published_weights

        weights = load_weights(context.source, context.mirror)
        return {"step": np.zeros(1, dtype=np.int64), **rename_published_weights(weights)}
