"""Planar problems of the papers' figures, and the max-margin solutions that are known of them."""

from attention_dynamics.problems.gaussian_clusters import GaussianClusters
from attention_dynamics.problems.labelled_tokens import LabelledTokens
from attention_dynamics.problems.problem import Problem
from attention_dynamics.problems.scored_tokens import ScoredTokens


def scored(*inputs) -> Problem:
    """Return a problem with a fixed head. inputs: tokens and their scores."""
    return ScoredTokens(inputs=[{"tokens": t, "scores": s, "label": 1} for t, s in inputs]).build()


def labelled(*inputs) -> Problem:
    """Return a problem with a head to be trained. inputs: tokens, of which the first is the best, and a label."""
    return LabelledTokens(inputs=[{"tokens": t, "label": y} for t, y in inputs]).build()


FIG1 = [[-0.1, 1], [1, 0], [0, 0]]
FIG3 = [([[1, 1], [0, 0]], 1), ([[1, -1], [0, 0]], -1)]
CENTRES = [[1, 0], *3 * [[-1, 1]], *3 * [[-0.5, -0.5]]]
PROBLEMS = {
    "1a": scored((FIG1, [1, 0.9, 0.9])),
    "1b": scored((FIG1, [1, 0.9, 0])),
    "1c": GaussianClusters(centres=CENTRES, scores=[1] + 6 * [0.5], n=3, spread=0.2, seed=0).build(),
    "3a": labelled(*FIG3, ([[0.5, 1], [0, 0]], 1)),
    "3b": labelled(*FIG3, ([[0.5, 1.5], [0, 0]], 1)),
    "8": scored(([[0, 1], [0, 0]], [1, 0]), ([[1.5, -0.5], [0.5, 1.5]], [1, 0])),
    # Theorem 8: two equally long solutions that are no mirror images.
    "tied": scored(([[1, 0], [-1, 0.5], [0, 0]], [1, 1, 0]), ([[1.2, 2.15], [0, -1], [0, 0]], [1, 0, 0])),
}
# By hand: weights of the max-margin program of the selected tokens, and the margins of its constraints in order.
SOLUTIONS = {
    ("1a", (0,)): ([-0.1 / 1.01, 1 / 1.01], [1.11 / 1.01, 1]),
    ("1b", (0,)): ([-0.1 / 1.01, 1 / 1.01], [1.11 / 1.01, 1]),
    ("1b", (1,)): ([1, 0], [1.1, 1]),
    ("1b", (2,)): ([-1, -1.1], [1, 1]),
    ("3a", (0, 0, 0)): ([4 / 3, 1 / 3], [5 / 3, 1, 1]),
    ("3b", (0, 0, 0)): ([1.25, 0.25], [1.5, 1, 1]),
    ("3b", (0, 0, 1)): ([2.5, -1.5], [1, 4, 1]),
    ("8", (0, 0)): ([3, 1], [1, 1]),
    ("8", (0, 1)): ([0, 1], [1, 2]),
}
