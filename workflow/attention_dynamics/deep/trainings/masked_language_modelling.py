"""Pre-training: networks that name masked pieces of texts (``attention_dynamics.deep_training``)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from numpy.typing import NDArray

from attention_dynamics.deep_training.fitting import Split
from attention_dynamics.deep_training.side_by_side import train_side_by_side
from attention_dynamics.language.masking import Masking
from attention_dynamics.language.pretrained import encoder_weights
from attention_dynamics.language.token_loss import token_loss
from attention_dynamics.problems.texts import EncodedTexts
from attention_dynamics.attention.descent import reproducible

# A training that was killed goes on from its checkpoint.
RESUMES = True
TEST_SEED = 0


def train(
    problem: EncodedTexts, spec: Mapping[str, Any], checkpoints: Path | None = None, code: str = ""
) -> dict[str, NDArray]:
    """See ``deep_training.side_by_side``, also for what is raised; and "weights/<name>", those of the encoder.

    Classes are not used. Losses and accuracies are over the pieces to be named, those of an epoch means of its batches.
    Texts are masked anew whenever they are trained on, those of the test once and for all.

    spec: what ``pipeline.run_kinds.deep.MaskedLanguageModelling`` describes, and device. checkpoints, code: see there.
    """
    reproducible(spec["device"])
    vocabulary = problem.words.tolist()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(TEST_SEED)
        test = torch.as_tensor(problem.test_tokens)
        masked, asked = Masking(vocabulary)(test, test[:, 0].long())
    splits = {
        "train": Split(problem.train_tokens, problem.train_tokens[:, 0]),
        "test": Split(masked.numpy(), asked.numpy()),
    }
    return train_side_by_side(
        splits, len(vocabulary), spec, checkpoints, code, vocabulary=len(vocabulary), loss=token_loss,
        augment=Masking(vocabulary, spec["device"]), export=encoder_weights,
    )  # fmt: skip
