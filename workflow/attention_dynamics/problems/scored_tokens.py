"""Tokens placed by hand in the plane, with a score each (Max-margin Figs 1a, 1b, 5, 8)."""

from typing import Self

import numpy as np
from pydantic import model_validator

from attention_dynamics.problems.inputs import ScoredInput, check_token_counts
from attention_dynamics.problems.planar_embedding import embed
from attention_dynamics.problems.problem import Problem
from attention_dynamics.problems.shape import TokenShape
from attention_dynamics.problems.source import ProblemSource
from attention_dynamics.types import Several, Symbol, Vector


class ScoredTokens(ProblemSource, kind="scored_tokens"):
    """Tokens placed by hand, with the scores that a fixed head gives them, in R^3; one problem per value of a setting.

    inputs: token positions, scores and label of every input; all inputs have equally many tokens.
    settings: name -> values, one for each problem. A score that is a name has the value of that setting: with
        ``settings: {C: [1, 2]}`` two problems are built, and a score C is 1 in the first and 2 in the second.
    """

    inputs: Several[ScoredInput]
    settings: dict[Symbol, Vector] | None = None

    @model_validator(mode="after")
    def _check_scores(self) -> Self:
        check_token_counts(self.inputs)
        tokens, settings = len(self.inputs[0].tokens), self.settings or {}
        if bad := [len(one.scores) for one in self.inputs if len(one.scores) != tokens]:
            raise ValueError(f"inputs: an input has {bad[0]} scores but {tokens} tokens")
        lengths = {len(values) for values in settings.values()}
        if len(lengths) > 1:
            raise ValueError(f"settings: all lists must have the same length, got {sorted(lengths)}")
        names = {score for one in self.inputs for score in one.scores if isinstance(score, str)}
        if unknown := sorted(names - settings.keys()):
            raise ValueError(f"inputs: score {unknown[0]!r} is not one of the settings {sorted(settings)}")
        return self

    @property
    def shape(self) -> TokenShape:
        settings = self.settings or {}
        problems = len(next(iter(settings.values()), (None,)))
        return TokenShape(
            problems=problems, inputs=len(self.inputs), tokens=len(self.inputs[0].tokens), dimension=3,
            settings=settings, planar=True,
        )  # fmt: skip

    def build(self) -> Problem:
        problems, settings = self.shape.problems, self.settings or {}

        def resolve(score: float | str, problem: int) -> float:
            return settings[score][problem] if isinstance(score, str) else score

        scores = [[[resolve(s, k) for s in one.scores] for one in self.inputs] for k in range(problems)]
        positions = np.array([[one.tokens for one in self.inputs]] * problems, dtype=float)
        labels = np.array([[one.label for one in self.inputs]] * problems, dtype=float)
        named = {name: np.array(values) for name, values in settings.items()}
        return embed(positions, np.array(scores, dtype=float), labels, named)
