"""Estimated costs of training the networks at each scale: counted operations, steps, and hours of a GPU.

python benchmarks/deep_costs.py > benchmarks/deep_costs.csv
prints all scales, or those that are given.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import cross_entropy
from torch.utils.flop_counter import FlopCounterMode

from attention_dynamics.config.load import load_config
from attention_dynamics.deep.problems import TEXT_CLASSES
from attention_dynamics.deep.tasks import DeepTraining

CONFIG = Path(__file__).parents[1] / "config"
SCALES = ("laptop", "workstation", "paper")
# (channels, height, width), training images, classes.
IMAGES = {
    "digits": ((1, 8, 8), 1437, 10), "digit_pairs": ((1, 8, 16), 4000, 100), "mnist": ((1, 28, 28), 60_000, 10),
    "cifar10": ((3, 32, 32), 50_000, 10), "cifar100": ((3, 32, 32), 50_000, 100),
}  # fmt: skip
# Words in the vocabulary, for each part that is trained on; for WikiText-103 as many as it has with capital letters.
VOCABULARIES = {("wikitext2", "train"): 28_782, ("wikitext2", "test"): 12_455, ("wikitext103", "train"): 267_735}
# Numbers of training texts, with those of the documentation and of the mirror, and of classes.
TEXTS = {
    ("laptop", "imdb"): 1014, ("workstation", "imdb"): 25_000, ("paper", "imdb"): 25_000,
    ("laptop", "mnli"): 6000, ("workstation", "mnli"): 13_393, ("paper", "mnli"): 392_702,
    ("laptop", "civil_comments"): 1014, ("workstation", "civil_comments"): 1_804_874,
    ("paper", "civil_comments"): 1_804_874,
}  # fmt: skip
# Words of the documentation, pieces of the generated sentences and of the published BERT.
OWN_WORDS, PUBLISHED_PIECES = {("laptop", "imdb"): 2043, ("laptop", "mnli"): 210}, 30_522
# TFLOP/s of ViT-base, and ms per step and layer of BERT-base, both in bfloat16 and compiled (benchmarks/gpu.md).
RATE, PER_LAYER = 299, 27 / 12
HEAD = f"""\
# Operations are counted by torch, forward and backward, a multiplication and an addition being two, without evaluation.
# Trainings are step sizes times seeds. Those that stop at an accuracy are counted to their last possible epoch; the
# published ones took a fifth to a half of that. Hours are for one H100 with precision=bfloat16: the larger of the
# operations at {RATE} TFLOP/s, the rate of ViT-base, and {PER_LAYER} ms for each layer of a step, a twelfth of a step
# of BERT-base, in which the GPU waits for the CPU.
scale,paper,run,parameters,trainings,steps,tflop,gpu_hours"""


def step_flops(model: nn.Module, one: torch.Tensor, labels: torch.Tensor) -> int:
    """Return the operations of the forward and the backward pass for one input."""
    counter = FlopCounterMode(display=False)
    # The counter does not know the fused kernel of the CPU.
    with counter, sdpa_kernel(SDPBackend.MATH):
        cross_entropy(model(one), labels).backward()
    return counter.get_total_flops()


def main(scales: Sequence[str]) -> None:
    """Print the table."""
    print(HEAD)
    for scale in scales or SCALES:
        config = load_config(CONFIG, {"scale": scale})
        for paper, block in config.papers.items():
            shown = {name for figure in block.figures.values() for name in figure.runs}
            for name, run in block.runs.items():
                if name in shown and isinstance(run.training, DeepTraining):
                    print(row(scale, f"{paper},{name}", block.problems[run.problem].source, run.training))


def row(scale: str, name: str, problem: Any, training: Any) -> str:
    """Return a row of the table."""
    if training.kind == "image_training":
        stand_in = "digit_pairs" if problem.dataset == "cifar100" else "digits"
        shape, train, classes = IMAGES[stand_in if scale == "laptop" else problem.dataset]
        samples = min(train, problem.train or train)
        one, labels = torch.zeros(1, *shape), torch.zeros(1, dtype=torch.long)
        steps, seen = training.epochs * -(-samples // training.batch_size), training.epochs * samples
    elif training.kind in ("text_classification", "masked_language_modelling"):
        samples = min(TEXTS[scale, problem.dataset], problem.train or TEXTS[scale, problem.dataset])
        words = problem.words or OWN_WORDS.get((scale, problem.dataset), PUBLISHED_PIECES)
        shape = (2, problem.length, words)
        one = torch.ones(1, 2, problem.length, dtype=torch.long)
        one[:, 1] = 0
        masked = training.kind == "masked_language_modelling"
        classes = words if masked else TEXT_CLASSES[problem.dataset]
        labels = one[:, 0] if masked else torch.zeros(1, dtype=torch.long)
        steps, seen = training.epochs * -(-samples // training.batch_size), training.epochs * samples
    else:
        classes = problem.words or VOCABULARIES[problem.dataset, problem.part]
        shape = (training.segment, classes)
        one = labels = torch.zeros(1, training.segment, dtype=torch.long)
        steps, seen = training.steps, training.steps * training.batch_size
    model = training.network.build(shape, classes)
    trainings = training.columns(None)
    flops = trainings * seen * step_flops(model, one, labels)
    layers = getattr(training.network, "depth", 1)
    hours = max(flops / (RATE * 1e12), trainings * steps * layers * PER_LAYER / 1e3) / 3600
    parameters = sum(p.numel() for p in model.parameters())
    return f"{scale},{name},{parameters},{trainings},{trainings * steps},{flops / 1e12:.1f},{hours:.2g}"


if __name__ == "__main__":
    main(sys.argv[1:])
