"""SGD, SGD with steps of fixed length, the stochastic Polyak step and l_p mirror descent as torch optimizers.

They work for any network, and their only state is the numbers in ``param_groups``. The package
``attention_dynamics.optim`` has the full-batch forms, whose gradients may lie below the floating-point range.
"""

import math
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor
from torch.optim import Optimizer

# Returns the loss of the batch: a tensor, though torch's annotations say float.
Closure = Callable[[], Any]
# Numbers of ``StochasticPolyak`` in the code of Loizou et al.
SMOOTHING, INITIAL_STEP_SIZE, EPSILON = 2.0, 1.0, 1e-8


class GradientStep(Optimizer):
    """Base class of optimizers that step against the gradient of a batch, scaled by one number for all parameters."""

    def trained(self) -> list[tuple[dict[str, Any], Tensor, Tensor]]:
        """Return (parameter group, parameter, gradient) for each parameter that has a gradient."""
        return [(group, p, p.grad) for group in self.param_groups for p in group["params"] if p.grad is not None]

    def gradient_norm(self) -> float:
        """Return the Euclidean norm of the gradient in all parameters together, summed in double precision."""
        # In double precision, because squares of gradients below 1e-19 would underflow in single precision.
        norms = [torch.linalg.vector_norm(gradient, dtype=torch.float64) for *_, gradient in self.trained()]
        return torch.linalg.vector_norm(torch.stack(norms)).item() if norms else 0.0


class FixedLengthSGD(GradientStep):
    """w - lr * g / |g|, with g the gradient of a batch and |g| its norm over all parameters (Fast rates, SNGD).

    A zero gradient leaves the parameters where they are.
    """

    def __init__(self, params: Iterable[Any], lr: float) -> None:
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self, closure: Closure | None = None) -> Any:
        """Take a step; return what the closure, which evaluates loss and gradient, returns."""
        loss = _evaluate(closure)
        if size := self.gradient_norm():
            for group, p, gradient in self.trained():
                p.sub_(gradient, alpha=group["lr"] / size)
        return loss


class ClippedSGD(GradientStep):
    """w - lr * g, with g the gradient of a batch, shortened to norm ``clip`` if it is longer (None: never).

    The norm is over all parameters (Scan and snap Figs 7 and 10).
    """

    def __init__(self, params: Iterable[Any], lr: float, clip: float | None = None) -> None:
        super().__init__(params, {"lr": lr, "clip": math.inf if clip is None else clip})

    @torch.no_grad()
    def step(self, closure: Closure | None = None) -> Any:
        """Take a step; return what the closure, which evaluates loss and gradient, returns."""
        loss = _evaluate(closure)
        clip = self.param_groups[0]["clip"]
        factor = 1.0 if clip == math.inf else clip / max(self.gradient_norm(), clip)
        for group, p, gradient in self.trained():
            p.sub_(gradient, alpha=group["lr"] * factor)
        return loss


class StochasticPolyak(GradientStep):
    """SGD with Polyak's step size on the loss of a batch (Loizou et al. 2021; Fast rates, SPS).

    With |g| over all parameters, the step size is

        s_t = min(loss / (c |g|^2 + EPSILON), SMOOTHING^(1 / steps_per_epoch) s_(t-1), largest),

    with INITIAL_STEP_SIZE in place of s_(t-1) at the first step. largest: None for no such bound. A zero gradient, or a
    zero loss, changes neither parameters nor step size. Defaults are those of the authors' code. Raises ValueError for
    a number that is not positive, and in ``step`` for a negative loss.
    """

    def __init__(
        self, params: Iterable[Any], *, steps_per_epoch: int, c: float = 0.5, largest: float | None = 10.0
    ) -> None:
        cap = math.inf if largest is None else largest
        positive = {"steps_per_epoch": steps_per_epoch, "c": c, "largest": cap}
        if bad := [name for name, value in positive.items() if value <= 0]:
            raise ValueError(f"{bad[0]}: need a positive number, got {positive[bad[0]]}")
        growth = SMOOTHING ** (1 / steps_per_epoch)
        super().__init__(params, {"c": c, "growth": growth, "largest": cap, "step_size": INITIAL_STEP_SIZE})

    @torch.no_grad()
    def step(self, closure: Closure) -> Any:  # type: ignore[override]
        """Take a step; the closure evaluates loss and gradient and returns the loss."""
        with torch.enable_grad():
            loss = closure()
        # The step size, which all parameters share, is kept in the first group.
        numbers, square = self.param_groups[0], self.gradient_norm() ** 2
        if (value := loss.item()) < 0:
            raise ValueError(f"loss: need 0 or more, got {value}")
        # A step size of zero would never grow again, because each one is at most ``growth`` times the previous one.
        if value and square:
            polyak = value / (numbers["c"] * square + EPSILON)
            numbers["step_size"] = min(polyak, numbers["growth"] * numbers["step_size"], numbers["largest"])
            for _, p, gradient in self.trained():
                p.sub_(gradient, alpha=numbers["step_size"])
        return loss


class LpMirrorDescent(Optimizer):
    """Mirror descent with the potential |w|_p^p / p, entry by entry, not normalized (Mirror descent).

    m(w) <- m(w) - lr * g with m(w) = sign(w) |w|^(p - 1), p the ``exponent``, in (1, 10]; p = 2 is gradient descent. An
    entry that is zero moves to -sign(g) |lr g|^(1 / (p - 1)). For |lr g| < 1 this step is tiny if p is near 1. Raises
    ValueError for an exponent out of range.
    """

    def __init__(self, params: Iterable[Any], lr: float, exponent: float) -> None:
        if not 1 < exponent <= 10:
            raise ValueError(f"exponent: need a number above 1, up to 10, got {exponent}")
        super().__init__(params, {"lr": lr, "exponent": exponent})

    @torch.no_grad()
    def step(self, closure: Closure | None = None) -> Any:
        """Take a step; return what the closure, which evaluates loss and gradient, returns."""
        loss = _evaluate(closure)
        for group in self.param_groups:
            power = group["exponent"] - 1
            for p in group["params"]:
                if p.grad is not None:
                    moved = _rows_with_gradient(p, p.grad)
                    # In double precision: in single precision, mapping a weight with m and back would change it even if
                    # the gradient is zero, and small weights would underflow for large exponents.
                    image = signed_power(p[moved].double(), power) - group["lr"] * p.grad[moved].double()
                    p[moved] = signed_power(image, 1 / power).to(p.dtype)
        return loss


def signed_power(values: Tensor, exponent: float) -> Tensor:
    """Return sign(x) |x|^exponent of every entry. For exponent 1, ``values`` itself is returned, not a copy."""
    return values if exponent == 1 else values.abs().pow_(exponent).copysign_(values)


def _rows_with_gradient(p: Tensor, gradient: Tensor) -> Any:
    """Return an index of the rows with a nonzero gradient: few rows of an embedding table belong to words of a batch.

    For scalars and vectors, and on a GPU, the index selects all entries.
    """
    # On a GPU all rows are taken, because the CPU would have to wait until the number of nonzero rows is known.
    if not p.is_cpu or p.dim() < 2:
        return ...
    moved = gradient.flatten(1).any(1)
    # Indexing with booleans copies row by row, which takes longer than all rows at once.
    return ... if moved.all() else moved


def _evaluate(closure: Closure | None) -> Any:
    if closure is None:
        return None
    with torch.enable_grad():
        return closure()
