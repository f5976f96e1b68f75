"""Sparsity of attention, and the size of the matrix that makes it sparse (Max-margin Figs 6 and 7)."""

import torch
from torch import Tensor


def cls_attention(probabilities: Tensor) -> Tensor:
    """Return the attention of [CLS], averaged over the heads: (n, heads, T, T) -> (n, T) (Max-margin Fig 6)."""
    return probabilities[:, :, 0].mean(1)


def soft_sparsity(probabilities: Tensor) -> Tensor:
    """Return 1 / |s|_2^2 of probabilities s, (..., T) -> (...): 1 for one token, T for all alike (Max-margin Fig 7)."""
    return 1 / probabilities.square().sum(-1)


def key_query_norm(matrices: Tensor) -> Tensor:
    """Return the Frobenius norm of a layer's W_K W_Q', the sum of its heads', () (Max-margin Fig 7).

    matrices: (heads, dim, dim), those of the heads.
    """
    norm: Tensor = torch.linalg.matrix_norm(matrices.sum(0))
    return norm
