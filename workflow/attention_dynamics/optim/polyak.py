"""Gradient descent with Polyak's step size, (L - inf L) / (c |gradient|^2)."""

import numpy as np
import torch
from torch import Tensor

from attention_dynamics.optim.gradient import Moment, ScaledGradient, norm, over_batch, over_starts
from attention_dynamics.types import PerStart, Positive


def step(
    parameter: Tensor, gradient: ScaledGradient, moment: Moment, *, c: PerStart, longest: Positive | None = None
) -> Tensor:
    """p - (L - inf L) / (c |gradient|^2) * gradient, with the norm over all trained parameters together (Fast rates).

    The infimum is the model's (``log_gap``): under a fixed head the mean loss of the optimal tokens, not zero. Where
    all gradients are exactly zero the parameter stays where it is.

    longest: cut longer steps, of each parameter for itself, to this length. Where attention saturates away from the
    optimum the gradient vanishes and the gap does not, so that the next step leaves the floating-point range.
    """
    log_squares = [2 * (g.log_scale + norm(g.direction).log()) for g in moment.gradients.values()]
    log_square = torch.stack(log_squares).logsumexp(0)
    # Each factor alone is far outside the floating-point range late in training, their product is not.
    log_size = moment.log_gap() + gradient.log_scale - log_square
    if longest is not None:
        divisor = torch.as_tensor(c, dtype=parameter.dtype, device=parameter.device)
        log_size = torch.minimum(log_size, np.log(longest) + divisor.log() - norm(gradient.direction).log())
    size = log_size.exp().where(log_square > -torch.inf, 0.0)
    return parameter - over_batch(size, parameter) * gradient.direction / over_starts(c, parameter)
