"""Training and SVM the published way: one problem at a time, automatic differentiation, SGD, cvxopt.

Written here in the style of published code, since none exists for Max-margin Fig 9.
"""

import cvxopt
import cvxopt.solvers
import numpy as np
import torch
from numpy.typing import NDArray


class PromptAttention(torch.nn.Module):
    """Prompt attention as a module with one parameter."""

    def __init__(self, d: int, head: NDArray) -> None:
        super().__init__()
        self.prompt = torch.nn.Parameter(torch.zeros(d, dtype=torch.float64))
        self.head = torch.as_tensor(head)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Return f(X), (n,), from the tokens (n, T, d)."""
        attention = torch.softmax(tokens @ self.prompt, dim=-1)
        return (attention.unsqueeze(-1) * tokens).sum(-2) @ self.head


def train(tokens: NDArray, labels: NDArray, head: NDArray, steps: int, every: int) -> NDArray:
    """Return prompts (records, d) at steps every, 2 every, ... of SGD with step size 1 on the normalized gradient."""
    x, y = torch.as_tensor(tokens), torch.as_tensor(labels)
    model = PromptAttention(tokens.shape[-1], head)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    path = []
    for step in range(1, steps + 1):
        optimizer.zero_grad()
        torch.log(1 + torch.exp(-y * model(x))).mean().backward()
        model.prompt.grad /= model.prompt.grad.norm() + 2.2e-16
        optimizer.step()
        if step % every == 0:
            path.append(model.prompt.detach().numpy().copy())
    return np.array(path)


def solve(keys: NDArray, selected: NDArray) -> NDArray | None:
    """Solve ATT-SVM by cvxopt on all d coordinates; None where cvxopt raises, as on some infeasible programs."""
    n, T, d = keys.shape
    others = np.arange(T) != selected[:, None]
    rows = (keys - keys[np.arange(n), selected][:, None])[others]
    program = (cvxopt.matrix(part) for part in (np.eye(d), np.zeros(d), rows, -np.ones(len(rows))))
    try:
        return np.array(cvxopt.solvers.qp(*program, options={"show_progress": False})["x"]).ravel()
    except ValueError:
        return None
