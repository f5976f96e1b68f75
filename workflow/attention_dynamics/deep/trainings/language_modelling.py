"""Decoders on running text (``attention_dynamics.deep_training``)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.deep_training.fitting import Split
from attention_dynamics.deep_training.side_by_side import train_side_by_side
from attention_dynamics.language.observed import AttentionObserver
from attention_dynamics.language.segments import segments
from attention_dynamics.language.token_loss import token_loss
from attention_dynamics.problems.corpus import EncodedCorpus
from attention_dynamics.attention.descent import reproducible

# A training that was killed goes on from its checkpoint.
RESUMES = True


def train(
    problem: EncodedCorpus, spec: Mapping[str, Any], checkpoints: Path | None = None, code: str = ""
) -> dict[str, NDArray]:
    """See ``deep_training.side_by_side``, also for what is raised; here "step" is the optimizer's.

    test_loss is that on the validation text, and so is what ``language.observed.AttentionObserver`` returns.

    spec: what ``pipeline.run_kinds.deep.LanguageModelling`` describes, and device. checkpoints, code: see there.
    """
    reproducible(spec["device"])
    splits = {
        "train": Split(*segments(problem.train_ids, spec["batch_size"], spec["segment"])),
        "test": Split(*segments(problem.valid_ids, 1, spec["segment"])),
    }
    every = spec["record_every"]
    plan = spec | {"epochs": spec["steps"] // every, "record_every": 1}
    trajectory = train_side_by_side(
        splits, len(problem.words), plan, checkpoints, code, vocabulary=len(problem.words), loss=token_loss,
        epoch_steps=every, shuffled=False, observe=AttentionObserver(splits["test"].inputs, spec["device"]),
    )  # fmt: skip
    return trajectory | {"step": np.arange(plan["epochs"] + 1) * every}
