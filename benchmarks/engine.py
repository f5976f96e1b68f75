"""CPU time per trial on the random problems of Max-margin Fig 9: the published way against the span of the keys.

Training (``gram_training``) and SVM (``margins.attention_svm``) are timed apart. Run by `make benchmark`; prints the
content of benchmarks/engine.md.
"""

from pathlib import Path

import floor
import machine
import numpy as np
import published
import scaling
import torch
from machine import cpu_seconds
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from attention_dynamics.attention.gram_training import gram_matrices, train_in_span
from attention_dynamics.margins.max_margin import Infeasible
from attention_dynamics.markdown_table import markdown_table

STEPS, EVERY = 1000, 5
PUBLISHED_TRIALS, SPAN_TRIALS, REPEATS = 10, 320, 3
INPUTS_AND_TOKENS, DIMENSIONS = ((4, 6), (6, 8)), (2, 10, 100, 500)
# The textbook gradient is off by about 1e-16 / q where the largest competitor's probability is q.
EXACT, LAST = 1e-7, 1e-14
TIMES = [
    "n, T, d", "training, published, ms", "span, ms", "ratio", "SVM, published, ms", "certified, ms", "ratio",
    "largest gap or residual",
]  # fmt: skip
AGREEMENT = [
    "n, T, d", "median step, q > 1e-7", "median difference", "largest difference", "same tokens",
    "median step, q > 1e-14", "median difference", "same tokens", "same tokens at the end",
]  # fmt: skip


def compare(n: int, T: int, d: int) -> tuple[list[str], list[str]]:
    """Return one row of each table."""
    trials = scaling.draw(SPAN_TRIALS, n, T, d, seed=0)
    keys, few = trials.tokens, range(PUBLISHED_TRIALS)

    def one_at_a_time() -> NDArray:
        return np.array([published.train(keys[k], trials.labels[k], trials.heads[k], STEPS, EVERY) for k in few])

    slow, path = cpu_seconds(one_at_a_time)
    fast, trained = cpu_seconds(
        lambda: train_in_span(gram_matrices(keys), trials.scores, steps=STEPS, step_size=1.0), REPEATS
    )
    selected = trained.logits.argmax(-1)
    dense, _ = cpu_seconds(lambda: [published.solve(keys[k], selected[k]) for k in few], REPEATS)
    certified, answers = cpu_seconds(lambda: scaling.separate(keys, trained.logits), REPEATS)
    worst = max(max(abs(a.gap), a.residual) for a in answers if not isinstance(a, Infeasible))
    slow, dense, fast, certified = (
        1000 * s / count for s, count in
        ((slow, len(few)), (dense, len(few)), (fast, SPAN_TRIALS), (certified, SPAN_TRIALS))
    )  # fmt: skip
    times = [
        f"{n}, {T}, {d}", f"{slow:.0f}", f"{fast:.3f}", f"{slow / fast:.0f}", f"{dense:.2f}", f"{certified:.2f}",
        f"{dense / certified:.1f}", f"{worst:.0e}",
    ]  # fmt: skip
    return times, [f"{n}, {T}, {d}", *agreement(keys[few], trials.scores[few], path)]


def agreement(keys: NDArray, scores: NDArray, path: NDArray) -> list[str]:
    """Compare the published prompts, path (trials, records, d), with the engine's at the same steps."""
    gram = gram_matrices(keys)
    results = [train_in_span(gram, scores, steps=step, step_size=1.0) for step in range(EVERY, STEPS + 1, EVERY)]
    prompts = np.stack([result.prompts(keys) for result in results], axis=1)
    logits = np.stack([result.logits for result in results], axis=1)
    difference = np.linalg.norm(prompts - path, axis=-1) / np.linalg.norm(path, axis=-1)
    same = ((path[..., None, None, :] * keys[:, None]).sum(-1).argmax(-1) == logits.argmax(-1)).all(-1)

    cells = []
    for probability in (EXACT, LAST):
        record = _last_record_above(logits, probability)
        there = (np.arange(len(keys)), record)
        cells += [f"{EVERY * np.median(record + 1):.0f}", f"{np.median(difference[there]):.0e}"]
        cells += [f"{difference[there].max():.0e}"] if probability == EXACT else []
        cells += [f"{same[there].mean():.0%}"]
    return [*cells, f"{same[:, -1].mean():.0%}"]


def _last_record_above(logits: NDArray, probability: float) -> NDArray:
    """Return the last record, (trials,), before the largest competitor's probability first falls to ``probability``."""
    ordered = np.sort(logits, axis=-1)
    below = (ordered[..., -2] - ordered[..., -1]).max(-1) <= np.log(probability)
    return np.where(below.any(1), below.argmax(1), below.shape[1]) - 1


def markdown(head: list[str], rows: list[list[str]]) -> list[str]:
    """Return a table and an empty line."""
    return [*markdown_table(head, rows), ""]


def main() -> None:
    """Measure, print, write."""
    torch.set_num_threads(1)
    # First, because a process starts with the peak memory of the one that started it.
    scaled = scaling.table(STEPS)
    with threadpool_limits(1):
        # Compilation and the start of PyTorch happen once, and are not part of a trial.
        small = scaling.draw(1, 2, 3, 2, seed=0)
        published.train(small.tokens[0], small.labels[0], small.heads[0], 100, 100)
        for n, T in INPUTS_AND_TOKENS:
            train_in_span(np.eye(n * T)[None], np.zeros((1, n, T)), steps=1, step_size=1.0)
        rates = machine.measure_rates()
        compared = [compare(n, T, d) for n, T in INPUTS_AND_TOKENS for d in DIMENSIONS]
        floors = []
        for n, T in INPUTS_AND_TOKENS:
            trials = scaling.draw(32, n, T, 100, seed=0)
            floors.append(floor.split(trials.tokens, trials.scores, rates))
    text = "\n".join(
        [
            "# Training and SVMs on random problems",
            "",
            f"CPU time of one thread per trial of {STEPS} normalized steps. Published: one trial at a time by",
            "automatic differentiation and SGD in double precision, and cvxopt on all d coordinates;",
            f"{PUBLISHED_TRIALS} trials. Span: `gram_training` and the certified SVM; {SPAN_TRIALS} trials, median of",
            f"{REPEATS} runs.",
            "",
            *markdown(TIMES, [times for times, _ in compared]),
            "The two trainings, compared at the last of every fifth step before the largest competitor's probability",
            "q falls to 1e-7 and to 1e-14 (the end, where it never does). The textbook's gradient is off by about",
            "1e-16 / q, more where the inputs' parts nearly cancel, as they do for d = 2: while that is little the",
            "iterates are the same; later the published way loses its direction and now and then its tokens.",
            "",
            *markdown(AGREEMENT, [row for _, row in compared]),
            "## One step of one trial",
            "",
            f"One core of this machine does {rates.flops / 1e9:.0f} GFLOP/s in large matrix products and copies at",
            f"{rates.memory / 1e9:.0f} GB/s in memory and {rates.cache / 1e9:.0f} GB/s in cache",
            f"({machine.versions()}). The floor is the larger of the two times at best, {floor.PER_EXPONENTIAL}",
            "operations counted for an exponential. Parts are timed alone; the last is what they leave of the whole.",
            "",
            *markdown(floor.HEAD, floors),
            "## Cost against d, trials and n T",
            "",
            f"CPU time per trial, {scaling.AT_ONCE:,} trials at a time, SVMs of the first {scaling.SVMS:,}.",
            "Peak memory includes the interpreter, PyTorch and the compiler.",
            "",
            *markdown(scaling.HEAD, scaled),
        ]
    ).rstrip()
    print(text)
    Path(__file__).with_suffix(".md").write_text(text + "\n")


if __name__ == "__main__":
    main()
