"""CPU time of a training step of Scan and snap's synthetic experiments: one-hot sequences against counts of tokens.

Run by `make benchmark`; prints the content of benchmarks/scan_and_snap.md.
"""

import random
from pathlib import Path

import machine
import numpy as np
import torch
from engine import markdown
from floor import PER_EXPONENTIAL
from machine import Rates, cpu_seconds
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from attention_dynamics.deep.determinism import use_deterministic_algorithms
from attention_dynamics.sequences import composition
from attention_dynamics.sequences.classes import SequenceClasses, published_classes
from attention_dynamics.sequences.sampling import draw
from attention_dynamics.sequences.sequence_training import train_pairs

# num_last, num_next_per_last -> steps of the published way that are timed.
SIZES = {(2, 1): 200, (3, 2): 100, (5, 2): 60, (10, 2): 40}
STEPS, BATCH, LENGTH, REPEATS = 1000, 128, 128, 3
SEEDS, ETA_Z, RATIOS = range(1, 11), (0.5, 1.0, 2.0, 3.0), (1.0, 2.0, 5.0, 10.0)
# Additions and multiplications per logit besides its exponential, and per entry of a matrix that takes a step.
PER_LOGIT, PER_UPDATE = 4, 4
HEAD = [
    "M", "one-hot, one at a time, ms", "counts, fast draws, ms", "ratio", "exact draws, ms", "ratio",
    "of it training, ms",
    "training at best, ms", "over the floor", "largest relative difference of the loss",
]  # fmt: skip


def published(data: SequenceClasses, steps: int, seed: int = 2) -> NDArray:
    """Return the losses, (steps,), of the published algorithm: sequences drawn one by one, one-hot, autograd, SGD."""
    random.seed(seed)
    torch.manual_seed(seed + 2)
    M = data.probabilities.shape[1]
    rows = (torch.tensor(data.probabilities, dtype=torch.float32), data.query.tolist(), data.next.tolist())
    classes = list(zip(*rows, strict=True))
    value, score = (torch.nn.Linear(M, M, bias=False) for _ in range(2))
    torch.nn.init.zeros_(value.weight)
    torch.nn.init.zeros_(score.weight)
    optimizer = torch.optim.SGD([*value.parameters(), *score.parameters()], lr=1.0, momentum=0.9)
    losses = np.empty(steps)
    for step in range(steps):
        tokens, labels = torch.empty(BATCH, LENGTH, dtype=torch.long), torch.empty(BATCH, dtype=torch.long)
        for k in range(BATCH):
            probabilities, tokens[k, -1], labels[k] = random.choice(classes)  # noqa: S311 (not cryptography)
            tokens[k, :-1] = torch.multinomial(probabilities, LENGTH - 1, replacement=True)
        one_hot = torch.nn.functional.one_hot(tokens, M).float()
        attention = (score(one_hot) * one_hot[:, -1:]).sum(-1)[:, :-1].softmax(-1)
        combined = (attention[..., None] * one_hot[:, :-1]).sum(1)
        logits = value(combined / combined.norm(dim=-1, keepdim=True))
        loss = torch.nn.functional.cross_entropy(logits, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses[step] = loss.item()
    return losses


def floor(data: SequenceClasses, rates: Rates) -> float:
    """Return a lower bound of the seconds of a training step, from its arithmetic and its memory traffic."""
    S, M = data.support.shape[1], data.probabilities.shape[1]
    logits, moving = BATCH * M, data.contextual * M
    operations = 3 * 2 * S * logits + (PER_EXPONENTIAL + PER_LOGIT) * logits + PER_UPDATE * moving
    traffic = 8 * (2 * logits + 4 * moving)
    return max(operations / rates.flops, traffic / rates.cache)


def compare(size: tuple[int, int], rates: Rates) -> list[str]:
    """Return one row of the table."""
    data, timed = published_classes(num_last=size[0], num_next_per_last=size[1]), SIZES[size]
    published(data, 1)
    slow, losses = cpu_seconds(lambda: published(data, timed), REPEATS)
    samples = draw(data, seed=2, steps=STEPS)

    def run(mode: str) -> NDArray:
        return train_pairs(
            data, draw(data, seed=2, steps=STEPS, mode=mode), eta_Y=1.0, eta_Z=1.0, record_steps=[STEPS]
        )["loss"]

    fast, _ = cpu_seconds(lambda: run("fast"), REPEATS)
    exact, ours = cpu_seconds(lambda: run("exact"), REPEATS)
    training, _ = cpu_seconds(lambda: train_pairs(data, samples, eta_Y=1.0, eta_Z=1.0, record_steps=[STEPS]), REPEATS)
    difference = np.abs(ours[:timed, 0] / losses - 1).max()
    slow, fast, exact, training = slow / timed, fast / STEPS, exact / STEPS, training / STEPS
    best = floor(data, rates)
    numbers = [f"{1000 * seconds:.3f}" for seconds in (fast, exact, training, best)]
    return [f"{data.probabilities.shape[1]}", f"{1000 * slow:.1f}", numbers[0], f"{slow / fast:.0f}", numbers[1],
            f"{slow / exact:.0f}", numbers[2], numbers[3], f"{training / best:.1f}", f"{difference:.0e}"]  # fmt: skip


def all_runs() -> int:
    """Train and measure the runs of Figs 6, 11 and 12 with exact draws; return their number."""
    eta_Z = np.repeat(ETA_Z, len(RATIOS))
    eta_Y, runs = eta_Z * np.tile(RATIOS, len(ETA_Z)), 0
    for num_last in (1, 3, 5, 10):
        data = published_classes(num_last=num_last, num_next_per_last=2)
        thresholds = np.linspace(0.9, 1.3, 9) / data.probabilities.shape[1]
        for seed in SEEDS:
            samples = draw(data, seed=seed, steps=100, start="uniform")
            Z = train_pairs(data, samples, eta_Y=eta_Y, eta_Z=eta_Z, record_steps=[100], observed=["Z"])["Z"][0]
            composition.distinct_entropy(data, composition.composition(data, Z))
            composition.recall(data, Z, thresholds)
            runs += len(Z)
    return runs


def main() -> None:
    """Measure, print, write."""
    use_deterministic_algorithms("cpu")
    with threadpool_limits(1):
        rates = machine.measure_rates()
        rows = [compare(size, rates) for size in SIZES]
        seconds, runs = cpu_seconds(all_runs)
    text = "\n".join(
        [
            "# Scan and snap's sequence classes",
            "",
            f"CPU time of one thread per training step of a run, {BATCH} sequences of {LENGTH} tokens, draws included.",
            "One-hot: written here as the published code does it, sequences drawn one by one, automatic",
            "differentiation in single precision. Counts: `sequences.sequence_training` in double precision,",
            f"{STEPS} steps; median of {REPEATS} runs ({machine.versions()}).",
            "",
            *markdown(HEAD, rows),
            f"At best: one core does {rates.flops / 1e9:.0f} GFLOP/s in large matrix products and copies at"
            f" {rates.cache / 1e9:.0f} GB/s in cache.",
            "Counted are the three products on the 20 tokens of a class, the exponentials of the logits, of"
            f" {PER_EXPONENTIAL}",
            f"operations, {PER_LOGIT} more per logit and {PER_UPDATE} per weight that moves, against logits written and"
            " read once and",
            "weights and velocities read and written once; the longer of the two times.",
            "",
            f"All {runs} runs of Figs 6, 11 and 12, exact draws, 16 pairs of step sizes at a time: {seconds:.0f} s of"
            " CPU time.",
        ]
    )
    print(text)
    Path(__file__).with_suffix(".md").write_text(text + "\n")


if __name__ == "__main__":
    main()
