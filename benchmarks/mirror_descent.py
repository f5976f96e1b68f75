"""CPU time of the 100 x 3 runs of Mirror descent's Bregman figure: one data set at a time, against all of them at once.

Run by `make benchmark`; prints the content of benchmarks/mirror_descent.md.
"""

from pathlib import Path

import machine
import numpy as np
import torch
from engine import markdown
from machine import cpu_seconds
from numpy.typing import NDArray

from attention_dynamics.attention.descent import descend
from attention_dynamics.attention.losses.logistic import Logistic
from attention_dynamics.attention.models.self_attention import SelfAttention
from attention_dynamics.deep.determinism import use_deterministic_algorithms
from attention_dynamics.optim.mirror_descent import MirrorDescent
from attention_dynamics.problems.problem import Problem
from attention_dynamics.problems.random_queries import RandomQueries

STEPS = {1.75: 1500, 2.0: 2000, 3.0: 20000}
DATASETS, ALONE, TIMED_STEPS, REPEATS = 100, 3, 300, 3
STEP_SIZE, GUARD = 0.1, 2.0**-52
HEAD = [
    "p",
    "steps",
    "one at a time, ms",
    "together, ms",
    "ratio",
    "whole figure together, s",
    "largest difference of W",
]


def one_at_a_time(problem: Problem, row: int, start: NDArray, exponent: float) -> NDArray:
    """Return W after TIMED_STEPS steps of the published code: automatic differentiation of one data set's risk."""
    arrays = (problem.tokens[row], problem.queries[row], problem.labels[row], problem.head[row])
    tokens, queries, labels, head = map(torch.as_tensor, arrays)
    W, dual = torch.tensor(start.reshape(len(head), -1), requires_grad=True), exponent / (exponent - 1)
    for _ in range(TIMED_STEPS):
        attention = (tokens @ (queries @ W.T)[..., None])[..., 0].softmax(-1)
        outputs = (attention[:, None] @ tokens)[:, 0] @ head
        torch.nn.functional.softplus(-labels * outputs).mean().backward()
        with torch.no_grad():
            step = STEP_SIZE * W.grad / ((W.grad.abs() ** dual).sum() ** (1 / dual) + GUARD)
            image = W.sign() * W.abs() ** (exponent - 1) - step
            W.copy_(image.sign() * image.abs() ** (1 / (exponent - 1)))
        W.grad = None
    return W.detach().numpy().ravel()


def compare(problem: Problem, k: int, exponent: float) -> tuple[list[str], float, float]:
    """Return one row of the table, and the seconds of all runs of this exponent in both ways."""
    starts, rows = problem.starts["p"][:, [k]], range(ALONE)
    slow, ends = cpu_seconds(lambda: [one_at_a_time(problem, row, starts[row, 0], exponent) for row in rows], REPEATS)
    optimizer = MirrorDescent(exponent=exponent, step_size=STEP_SIZE, epsilon=GUARD)
    model = SelfAttention().bind(problem, Logistic(), "float64")
    fast, run = cpu_seconds(
        lambda: descend(model, {"p": optimizer}, {"p": starts}, record_steps=[0, TIMED_STEPS]), REPEATS
    )
    slow, fast = slow / ALONE / TIMED_STEPS, fast / DATASETS / TIMED_STEPS
    runs = DATASETS * STEPS[exponent]
    difference = np.abs(run["p"][-1, :ALONE, 0] - np.array(ends)).max()
    row = [f"{exponent:g}", f"{STEPS[exponent]}", f"{1000 * slow:.4f}", f"{1000 * fast:.5f}", f"{slow / fast:.0f}",
           f"{runs * fast:.1f}", f"{difference:.0e}"]  # fmt: skip
    return row, runs * slow, runs * fast


def main() -> None:
    """Measure, print, write."""
    use_deterministic_algorithms("cpu")
    problem = RandomQueries(datasets=DATASETS, n=6, T=8, d=10, exponents=list(STEPS)).build()
    one_at_a_time(problem, 0, problem.starts["p"][0, 0], 2.0)
    rows, slow, fast = zip(*(compare(problem, k, p) for k, p in enumerate(STEPS)), strict=True)
    text = "\n".join(
        [
            "# Mirror descent on 100 data sets",
            "",
            "CPU time of one thread per data set and step, n = 6, T = 8, d = 10. One at a time: automatic",
            f"differentiation in double precision; {ALONE} data sets, {TIMED_STEPS} steps, median of {REPEATS} runs.",
            f"Together: the engine on all {DATASETS}, the textbook formula in double precision ({machine.versions()}).",
            "",
            *markdown(HEAD, list(rows)),
            f"All {DATASETS} x {len(STEPS)} runs: {sum(fast):.0f} s together, {sum(slow):.0f} s one at a time, a ratio",
            f"of {sum(slow) / sum(fast):.0f}.",
        ]
    )
    print(text)
    Path(__file__).with_suffix(".md").write_text(text + "\n")


if __name__ == "__main__":
    main()
