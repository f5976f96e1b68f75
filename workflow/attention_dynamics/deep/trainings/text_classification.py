"""Networks on texts with classes, pre-trained ones among them (``attention_dynamics.deep_training``)."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from attention_dynamics.deep_training.fitting import Split
from attention_dynamics.deep_training.side_by_side import train_side_by_side
from attention_dynamics.language.observed import ClassifierObserver
from attention_dynamics.language.pretrained import put_weights
from attention_dynamics.problems.texts import EncodedTexts
from attention_dynamics.attention.descent import reproducible

# A training that was killed goes on from its checkpoint.
RESUMES = True


def train(
    problem: EncodedTexts, spec: Mapping[str, Any], checkpoints: Path | None = None, code: str = "",
    pretrained: Mapping[str, NDArray] | None = None,
) -> dict[str, NDArray]:  # fmt: skip
    """See ``deep_training.side_by_side``, also for what is raised.

    What is observed is what ``language.observed.ClassifierObserver`` returns.

    spec: what ``pipeline.run_kinds.deep.TextClassification`` describes, and device. checkpoints, code: see there.
    pretrained: what the training returned that ``spec`` names, whose weights the encoder starts from; without one they
    are random. Raises ValueError where they are those of another encoder.
    """
    reproducible(spec["device"])
    splits = {
        "train": Split(problem.train_tokens, problem.train_labels),
        "test": Split(problem.test_tokens, problem.test_labels),
    }
    sentences = problem.sentences and problem.sentences.tokens
    return train_side_by_side(
        splits, len(problem.classes), spec, checkpoints, code, vocabulary=len(problem.words),
        observe=ClassifierObserver(spec["observe"], sentences, spec["device"]),
        prepare=partial(put_weights, arrays=pretrained) if pretrained else None,
    )  # fmt: skip
