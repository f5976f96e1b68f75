"""Logistic loss, log(1 + exp(-m))."""

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from attention_dynamics.losses.log_domain import log_expm1_exp, log_log1p_exp
from attention_dynamics.problems.problem import Array


def loss(margin: Tensor) -> Tensor:
    """Loss of each margin; same shape."""
    return torch.logaddexp(torch.zeros_like(margin), -margin)


def log_slope(margin: Tensor) -> Tensor:
    """log(-loss'(m)) = -log(1 + exp(m)); same shape."""
    return logsigmoid(-margin)


def log_excess(margin: Array, log_shortfall: Array) -> Array:
    """log(loss(m - x) - loss(m)) from log(x), for shortfalls x >= 0, without cancellation; same shape.

    The difference is log(1 + (exp(x) - 1) / (1 + exp(m))).
    """
    return log_log1p_exp(log_expm1_exp(log_shortfall) - np.logaddexp(0.0, margin))
