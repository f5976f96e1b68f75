"""Rates of training steps on a GPU: ViT-base and BERT-base as `scale=paper` has them, in mixed precision.

PYTHONPATH=workflow python benchmarks/gpu.py
prints the first table of benchmarks/gpu.md, and the rate of a product of matrices.
"""

import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import torch
from deep_costs import IMAGES, PUBLISHED_PIECES, TEXT_CLASSES, step_flops
from torch import Tensor

from attention_dynamics.config.load import load_config
from attention_dynamics.deep.trainer.loop import TrainingLoop, build_seeded, use_deterministic_algorithms
from attention_dynamics.deep.trainer.schedule import Schedule
from attention_dynamics.deep.trainer.splits import Split
from attention_dynamics.markdown_table import markdown_table

CONFIG = Path(__file__).parents[1] / "config"
# The first steps compile the network and fill torch's pool of memory.
WARM_UP, STEPS, REPEATS = 10, 20, 5
# Paper, run, shape of an input (of a text with the size of the vocabulary), and classes.
NETWORKS = {
    "ViT-base": ("max_margin", "vit", IMAGES["cifar10"][0], IMAGES["cifar10"][2]),
    "BERT-base": ("fast_rates", "mnli_adam", (2, 128, PUBLISHED_PIECES), TEXT_CLASSES["mnli"]),
}  # fmt: skip
SIDE = 8192
HEAD = ["network", "batch", "compiled", "ms per step", "TFLOP/s", "of the product's rate", "GiB"]


class Stopwatch:
    """An ``augment`` that changes nothing, and notes the time before every STEPS steps after the first WARM_UP."""

    def __init__(self) -> None:
        self.step, self.times = 0, list[float]()

    def __call__(self, inputs: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
        """Return the arguments."""
        if self.step >= WARM_UP and (self.step - WARM_UP) % STEPS == 0:
            torch.cuda.synchronize()
            self.times.append(time.perf_counter())
        self.step += 1
        return inputs, labels


def draw_inputs(shape: tuple[int, ...], count: int) -> Any:
    """Return random images (count, channels, height, width), or random texts (count, 2, length) without padding."""
    random = np.random.default_rng(0)
    if shape[0] == 3:
        return random.random((count, *shape), dtype=np.float32)
    parts, length, vocabulary = shape
    texts = random.integers(1000, vocabulary, (count, parts, length), dtype=np.int32)
    texts[:, 1] = 0
    return texts


def measure(name: str, compiled: bool) -> tuple[float, float, float, int]:
    """Return seconds of a step, TFLOP of a step, GiB of memory in use at most, and the size of a batch."""
    paper, run, shape, classes = NETWORKS[name]
    training: Any = load_config(CONFIG, {"scale": "paper"}).papers[paper].runs[run].training
    model = build_seeded(0, lambda: training.network.build(shape, classes))
    count = training.batch_size * (WARM_UP + STEPS * REPEATS + 1)
    inputs = draw_inputs(shape, count)
    labels = np.random.default_rng(1).integers(0, classes, count)
    flops = training.batch_size * step_flops(model, torch.as_tensor(inputs[:1]), torch.zeros(1, dtype=torch.long))
    model.zero_grad()
    schedule = Schedule(epochs=1, batch_size=training.batch_size, seed=0, precision="bfloat16", compiled=compiled)
    optimizer = training.deep_optimizer.points[0].build(model.parameters(), schedule.steps_per_pass(count))
    stopwatch = Stopwatch()
    torch.cuda.reset_peak_memory_stats()
    data = {"train": Split(inputs, labels)}
    TrainingLoop(model, optimizer, data, schedule, device="cuda", augment=stopwatch, report=lambda line: None).run()
    memory = torch.cuda.max_memory_allocated() / 2**30
    return median(np.diff(stopwatch.times)) / STEPS, flops / 1e12, memory, training.batch_size


def product_rate() -> float:
    """Return the TFLOP/s of a product of random square matrices in bfloat16."""
    a, b = (torch.randn(SIDE, SIDE, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    times = []
    for _ in range(REPEATS + 1):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(STEPS):
            a @ b
        torch.cuda.synchronize()
        times.append((time.perf_counter() - start) / STEPS)
    return 2 * SIDE**3 / median(times[1:]) / 1e12


def main() -> None:
    """Print the table."""
    use_deterministic_algorithms("cuda")
    peak = product_rate()
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}.", end=" ")
    print(f"A product of two {SIDE} x {SIDE} matrices in bfloat16 runs at {peak:.0f} TFLOP/s.\n")
    rows = []
    for name in NETWORKS:
        for compiled in (True, False):
            seconds, tflop, memory, batch = measure(name, compiled)
            rate, how = tflop / seconds, "yes" if compiled else "no"
            numbers = f"{seconds * 1e3:.1f}", f"{rate:.0f}", f"{rate / peak:.0%}", f"{memory:.1f}"
            rows.append([name, str(batch), how, *numbers])
    print("\n".join(markdown_table(HEAD, rows)))


if __name__ == "__main__":
    main()
