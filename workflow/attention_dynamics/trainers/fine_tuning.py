"""Pre-trained networks on texts with classes (``attention_dynamics.deep_training``)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from attention_dynamics.deep_training.fitting import Split
from attention_dynamics.deep_training.side_by_side import train_side_by_side
from attention_dynamics.language.bert import put_weights
from attention_dynamics.problems.pieces import EncodedPieces
from attention_dynamics.training import reproducible

# A training that was killed goes on from its checkpoint.
RESUMES = True


def train(
    problem: EncodedPieces, spec: Mapping[str, Any], checkpoints: Path | None = None, code: str = "",
    pretrained: Mapping[str, NDArray] | None = None,
) -> dict[str, NDArray]:  # fmt: skip
    """See ``deep_training.side_by_side``, also for what is raised.

    spec: what ``pipeline.run_kinds.deep.FineTuning`` describes, and device. checkpoints, code: see there. pretrained:
    what the training returned that ``spec`` names, whose weights the encoder starts from; without one they are random.
    Raises ValueError where they are those of another encoder.
    """
    reproducible(spec["device"])
    splits = {
        "train": Split(problem.train_pieces, problem.train_labels),
        "test": Split(problem.test_pieces, problem.test_labels),
    }
    return train_side_by_side(
        splits, len(problem.classes), spec, checkpoints, code, vocabulary=len(problem.words),
        prepare=(lambda model: put_weights(model, pretrained)) if pretrained else None,
    )  # fmt: skip
