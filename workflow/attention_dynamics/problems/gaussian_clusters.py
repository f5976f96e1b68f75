"""Planar tokens scattered around cluster centres, several inputs (Max-margin Figs 1c and 4)."""

from typing import Self

import numpy as np
from pydantic import model_validator

from attention_dynamics.problems.planar_embedding import embed
from attention_dynamics.problems.problem import Problem
from attention_dynamics.problems.shape import TokenShape
from attention_dynamics.problems.source import ProblemSource
from attention_dynamics.types import Count, Points, Positive, Seed, Vector


class GaussianClusters(ProblemSource, kind="gaussian_clusters"):
    """n inputs of T tokens in R^3, all with label +1; see ``planar_embedding.embed``.

    The first two coordinates of token t, its key, are centres[t] + spread * (standard normal); the third is scores[t].
    centres: T points in the plane. scores: T numbers, the same for every input. seed: seed of torch's CPU generator.
    """

    centres: Points
    scores: Vector
    n: Count
    spread: Positive
    seed: Seed

    @model_validator(mode="after")
    def _check_scores(self) -> Self:
        if len(self.centres) != len(self.scores):
            raise ValueError(f"scores: needs one number per centre, {len(self.centres)} in all, got {len(self.scores)}")
        return self

    @property
    def shape(self) -> TokenShape:
        return TokenShape(inputs=self.n, tokens=len(self.centres), dimension=3, planar=True)

    def build(self) -> Problem:
        import torch  # the published tokens come from its generator; importing it takes more than a second

        # Three coordinates are drawn, although the score replaces the third, to keep the published order of draws.
        noise = torch.randn(self.n, len(self.centres), 3, generator=torch.Generator().manual_seed(self.seed))
        positions = (self.spread * noise[..., :2] + torch.tensor(self.centres)).double().numpy()
        return embed(positions[None], np.tile(self.scores, (1, self.n, 1)), np.ones((1, self.n)))
