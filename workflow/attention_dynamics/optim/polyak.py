"""Gradient descent with Polyak's step size, (L - inf L) / (c |gradient|^2)."""

import numpy as np

from attention_dynamics.optim.gradient import ScaledGradient, StepContext, expand_trailing, log_of, norm, per_start
from attention_dynamics.optim.optimizer import Optimizer, State
from attention_dynamics.problems.problem import Array
from attention_dynamics.types import Positive, PositivePerStart


class Polyak(Optimizer, kind="polyak"):
    """Polyak's step, p - (L - inf L) / (c |gradient|^2) * gradient (Fast rates).

    L is the risk, and |gradient| is the norm of the gradient with respect to all trained parameters. inf L is the
    infimum of the risk (``losses.risk_gap``): with a fixed head, the mean loss of the tokens with the highest scores;
    with a trained head, 0. If all gradients are exactly zero, the parameter stays where it is.

    longest: the largest length of a step, for each parameter separately; longer steps are shortened to this length.
    Without it, a step leaves the floating-point range where attention saturates away from the optimum, because there
    the gradient vanishes and L - inf L does not.
    """

    c: PositivePerStart
    longest: Positive | None = None

    def update(
        self, gradient: ScaledGradient, state: State, parameter: Array, context: StepContext
    ) -> tuple[Array, State]:
        c = per_start(self.c, parameter)
        log_squares = [2 * (each.log_scale + log_of(norm(each.direction))) for each in context.gradients.values()]
        log_square = np.logaddexp.reduce(log_squares, axis=0)
        moves = log_square > -np.inf
        # The size is computed by logarithms, because late in training each factor leaves the floating-point range, but
        # their product does not.
        log_size = context.log_gap() + gradient.log_scale - np.where(moves, log_square, 0.0)
        if self.longest is not None:
            log_longest = np.log(self.longest) + np.log(self.c) - log_of(norm(gradient.direction))
            log_size = np.minimum(log_size, log_longest)
        size = np.where(moves, np.exp(log_size), 0.0).astype(parameter.dtype)
        step = expand_trailing(size, parameter) * gradient.direction / c
        return parameter - step, state
