"""Networks on texts with classes (``attention_dynamics.deep_training``)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from attention_dynamics.deep_training.fitting import Split
from attention_dynamics.deep_training.side_by_side import train_side_by_side
from attention_dynamics.language.observed import ClassifierObserver
from attention_dynamics.problems.passages import EncodedPassages
from attention_dynamics.training import reproducible

# A training that was killed goes on from its checkpoint.
RESUMES = True


def train(
    problem: EncodedPassages, spec: Mapping[str, Any], checkpoints: Path | None = None, code: str = ""
) -> dict[str, NDArray]:
    """See ``deep_training.side_by_side``, also for what is raised.

    What is observed is what ``language.observed.ClassifierObserver`` returns.

    spec: what ``pipeline.run_kinds.deep.TextClassification`` describes, and device. checkpoints, code: see there.
    """
    reproducible(spec["device"])
    splits = {
        "train": Split(problem.train_tokens, problem.train_labels),
        "test": Split(problem.test_tokens, problem.test_labels),
    }
    sentences = problem.sentences and problem.sentences.tokens
    observe = ClassifierObserver(spec["observe"], sentences, spec["device"])
    return train_side_by_side(
        splits, len(problem.classes), spec, checkpoints, code, vocabulary=len(problem.words), observe=observe
    )
