"""CPU time per trial on the random problems of Max-margin Fig 9: one at a time against the span of the keys.

One at a time, in the style of published code (none exists for this figure): PyTorch autograd, SGD, the gradient divided
by its norm, 1000 steps, then cvxopt on the d x d program. Against it ``gram_training`` and ``margins.attention_svm``.
Training and SVM are timed apart. Run by `make benchmark`; prints a table and writes it to benchmarks/engine.md.
"""

import platform
import time
from collections.abc import Callable
from pathlib import Path

import cvxopt
import cvxopt.solvers
import numpy as np
import torch
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from attention_dynamics.gram_training import gram_matrices, train_in_span
from attention_dynamics.margins.attention_svm import attention_svm
from attention_dynamics.margins.max_margin import Infeasible
from attention_dynamics.problems import random_sphere

STEPS = 1000
# Double precision loses the direction once the competitors' probability falls below 1e-16; until here it is exact.
EXACT_STEPS = 25
AUTOGRAD_TRIALS, SPAN_TRIALS = 10, 500
SIZES = [(n, T, d) for n, T in ((4, 6), (6, 8)) for d in (2, 10, 100, 500)]


class AutogradAttention(torch.nn.Module):
    """Prompt attention as a module with one parameter, as published code writes it."""

    def __init__(self, d: int, head: NDArray) -> None:
        super().__init__()
        self.prompt = torch.nn.Parameter(torch.zeros(d, dtype=torch.float64))
        self.head = torch.as_tensor(head)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """F(X), (n,), from the tokens (n, T, d)."""
        attention = torch.softmax(tokens @ self.prompt, dim=-1)
        return (attention.unsqueeze(-1) * tokens).sum(-2) @ self.head


def train_autograd(tokens: NDArray, labels: NDArray, head: NDArray, steps: int) -> NDArray:
    """The prompt after ``steps`` of SGD with step size 1 on the normalized gradient, one problem."""
    x, y = torch.as_tensor(tokens), torch.as_tensor(labels)
    model = AutogradAttention(tokens.shape[-1], head)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    for _ in range(steps):
        optimizer.zero_grad()
        torch.log(1 + torch.exp(-y * model(x))).mean().backward()
        model.prompt.grad /= model.prompt.grad.norm() + 2.2e-16
        optimizer.step()
    return model.prompt.detach().numpy()


def solve_dense(keys: NDArray, selected: NDArray) -> None:
    """ATT-SVM by cvxopt on all d coordinates."""
    n, T, d = keys.shape
    others = np.arange(T) != selected[:, None]
    rows = (keys - keys[np.arange(n), selected][:, None])[others]
    P, q, h = cvxopt.matrix(np.eye(d)), cvxopt.matrix(np.zeros(d)), cvxopt.matrix(-np.ones(len(rows)))
    try:
        cvxopt.solvers.qp(P, q, cvxopt.matrix(rows), h)
    except ValueError:  # what cvxopt raises on some infeasible programs
        return


def cpu_ms(work: Callable[[], object], count: int) -> tuple[float, object]:
    """CPU milliseconds of ``work`` per trial, and what it returned."""
    start = time.process_time()
    result = work()
    return (time.process_time() - start) / count * 1000, result


def compare(n: int, T: int, d: int) -> list[str]:
    """One row of the table."""
    problem = random_sphere.build(trials=SPAN_TRIALS, n=n, T=T, d=d, seed=0)
    keys, scores, first = problem.keys, problem.scores(), range(AUTOGRAD_TRIALS)

    def autograd(steps: int) -> NDArray:
        return np.array([train_autograd(keys[k], problem.labels[k], problem.head[k], steps) for k in first])

    slow, _ = cpu_ms(lambda: autograd(STEPS), AUTOGRAD_TRIALS)
    fast, trained = cpu_ms(lambda: train_in_span(gram_matrices(keys), scores, steps=STEPS, step_size=1.0), SPAN_TRIALS)
    selected = trained.logits.argmax(-1)
    slow_svm, _ = cpu_ms(lambda: [solve_dense(keys[k], selected[k]) for k in first], AUTOGRAD_TRIALS)
    fast_svm, answers = cpu_ms(lambda: [attention_svm(keys[k], selected[k]) for k in range(SPAN_TRIALS)], SPAN_TRIALS)
    certified = max(max(abs(a.gap), a.residual) for a in answers if not isinstance(a, Infeasible))

    exact = autograd(EXACT_STEPS)
    engine = train_in_span(gram_matrices(keys[first]), scores[first], steps=EXACT_STEPS, step_size=1.0)
    difference = np.linalg.norm(engine.prompts(keys[first]) - exact, axis=-1) / np.linalg.norm(exact, axis=-1)
    tokens = ((keys[first] * exact[:, None, None]).sum(-1).argmax(-1) == engine.logits.argmax(-1)).mean()

    operations = STEPS * 2 * (n * T) ** 2 / 1e6
    return [
        f"{n}, {T}, {d}", f"{slow:.0f}", f"{fast:.3f}", f"{slow / fast:.0f}", f"{operations / fast:.1f}",
        f"{slow_svm:.2f}", f"{fast_svm:.2f}", f"{certified:.0e}", f"{difference.max():.0e}", f"{tokens:.0%}",
    ]  # fmt: skip


def machine_rates() -> str:
    """What the machine does at best on one core: matrix products and copies of doubles."""
    a, out = np.random.default_rng(0).standard_normal((1000, 1000)), np.empty((1000, 1000))
    multiply, _ = cpu_ms(lambda: [np.matmul(a, a, out=out) for _ in range(5)], 5)
    large = np.ones(20_000_000)
    target = large.copy()
    copy, _ = cpu_ms(lambda: [np.copyto(target, large) for _ in range(5)], 5)
    versions = f"{platform.machine()}, Python {platform.python_version()}, torch {torch.__version__.split('+')[0]}"
    return (
        f"One core of this machine: {2 * 1000**3 / multiply / 1e6:.0f} GFLOP/s in large matrix products, "
        f"{2 * large.nbytes / copy / 1e6:.1f} GB/s in copies ({versions})."
    )


HEAD = [
    "n, T, d", "autograd, ms", "span, ms", "ratio", "span, GFLOP/s", "cvxopt d x d, ms", "certified SVM, ms",
    "largest gap or residual", f"difference at step {EXACT_STEPS}", f"same tokens at step {EXACT_STEPS}",
]  # fmt: skip


def main() -> None:
    """Measure, print, write."""
    torch.set_num_threads(1)
    cvxopt.solvers.options["show_progress"] = False
    with threadpool_limits(1):
        small = random_sphere.build(trials=1, n=2, T=2, d=2, seed=0)
        # What happens once, compilation and PyTorch's start, belongs to no trial.
        train_in_span(gram_matrices(small.keys), small.scores(), steps=1, step_size=1.0)
        train_autograd(small.keys[0], small.labels[0], small.head[0], steps=100)
        rows = [compare(*size) for size in SIZES]
        rates = machine_rates()
    lines = ["| " + " | ".join(row) + " |" for row in [HEAD, ["---"] * len(HEAD), *rows]]
    text = "\n".join(
        [
            "# Training and SVMs on random problems, CPU time per trial",
            "",
            f"{STEPS} normalized steps; {AUTOGRAD_TRIALS} trials one at a time by autograd and SGD, {SPAN_TRIALS} in",
            "the span of the keys, whose GFLOP/s count the product with the Gram matrix, 2 (n T)^2 a step, no more.",
            f"The two are compared after {EXACT_STEPS} steps, while plain double precision is still exact.",
            "",
            *lines,
            "",
            rates,
        ]
    )
    print(text)
    Path(__file__).with_suffix(".md").write_text(text + "\n")


if __name__ == "__main__":
    main()
