"""Tokens placed by hand in the plane, with a score each (Max-margin Figs 1a, 1b, 5, 8)."""

import numpy as np

from attention_dynamics.block_types import ScoredInput
from attention_dynamics.problems.planar import embed
from attention_dynamics.problems.problem import Problem, Shape, equal_counts
from attention_dynamics.types import Symbol, Vector


def shape(*, inputs: list[ScoredInput], settings: dict[Symbol, Vector] | None = None) -> Shape:
    """P = length of the settings (1 without any), d = 3 (see ``planar``)."""
    settings = settings or {}
    tokens = equal_counts([len(one["tokens"]) for one in inputs])
    if bad := [len(one["scores"]) for one in inputs if len(one["scores"]) != tokens]:
        raise ValueError(f"inputs: {bad[0]} scores for {tokens} tokens")
    lengths = {len(values) for values in settings.values()} or {1}
    if len(lengths) != 1:
        raise ValueError(f"settings: lists of different lengths, {sorted(lengths)}")
    named = {score for one in inputs for score in one["scores"] if isinstance(score, str)}
    if unknown := sorted(named - settings.keys()):
        raise ValueError(f"inputs: score {unknown[0]!r} is not one of the settings {sorted(settings)}")
    return Shape(lengths.pop(), len(inputs), tokens, 3, settings=settings, planar=True)


def build(*, inputs: list[ScoredInput], settings: dict[Symbol, Vector] | None = None) -> Problem:
    """One problem per setting.

    inputs: every input's token positions, scores and label; all inputs have equally many tokens.
    settings: name -> values. A score that is a name takes these values in turn: with ``settings: {C: [1, 2]}``
        two problems are built, and P = 2.
    Raises ValueError as ``shape``.
    """
    settings = settings or {}
    problems = range(shape(inputs=inputs, settings=settings).problems)

    def resolve(score: float | str, problem: int) -> float:
        return settings[score][problem] if isinstance(score, str) else score

    scores = np.array([[[resolve(s, k) for s in one["scores"]] for one in inputs] for k in problems], dtype=float)
    positions = np.array([[one["tokens"] for one in inputs]] * len(problems), dtype=float)
    labels = np.array([[one["label"] for one in inputs]] * len(problems), dtype=float)
    return embed(positions, scores, labels, {name: np.array(values) for name, values in settings.items()})
