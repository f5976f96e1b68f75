"""Planar tokens scattered around cluster centres, several inputs (Max-margin Figs 1c and 4)."""

import numpy as np

from attention_dynamics.problems.planar import embed
from attention_dynamics.problems.problem import Problem, Shape
from attention_dynamics.types import Count, Points, Positive, Seed, Vector


def shape(*, centres: Points, scores: Vector, n: Count, spread: Positive, seed: Seed) -> Shape:
    """P = 1, T = number of centres, d = 3 (see ``planar``)."""
    if len(centres) != len(scores):
        raise ValueError(f"scores: {len(scores)} numbers for {len(centres)} centres")
    return Shape(1, n, len(centres), 3, planar=True)


def build(*, centres: Points, scores: Vector, n: Count, spread: Positive, seed: Seed) -> Problem:
    """n inputs with one token per entry of ``centres``: token t is centres[t] + spread * (standard normal).

    centres: T points; scores: T numbers, the same for every input; labels are all +1.
    seed: of torch's CPU generator. The draw is a float32 array of shape (n, T, 3) whose third coordinate the score
        replaces; that order of draws is the published one, and it is what makes the published tokens come back.
    Raises ValueError as ``shape``.
    """
    import torch

    shape(centres=centres, scores=scores, n=n, spread=spread, seed=seed)
    noise = torch.randn(n, len(centres), 3, generator=torch.Generator().manual_seed(seed))
    positions = (spread * noise[..., :2] + torch.tensor(centres)).double().numpy()
    return embed(positions[None], np.tile(scores, (1, n, 1)), np.ones((1, n)))
