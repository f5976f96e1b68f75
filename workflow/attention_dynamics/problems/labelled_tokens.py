"""Tokens placed by hand in the plane, for joint training of the head and the attention (Max-margin Fig 3)."""

from typing import Self

import numpy as np
from pydantic import model_validator

from attention_dynamics.problems.inputs import LabelledInput, check_token_counts
from attention_dynamics.problems.problem import Problem
from attention_dynamics.problems.shape import TokenShape
from attention_dynamics.problems.source import ProblemSource
from attention_dynamics.types import Several


class LabelledTokens(ProblemSource, kind="labelled_tokens"):
    """One problem in the plane with W = identity and a trained head; the first token of each input is the optimal one.

    inputs: token positions and label of every input; all inputs have equally many tokens.
    """

    inputs: Several[LabelledInput]

    @model_validator(mode="after")
    def _check_inputs(self) -> Self:
        check_token_counts(self.inputs)
        return self

    @property
    def shape(self) -> TokenShape:
        tokens = len(self.inputs[0].tokens)
        return TokenShape(inputs=len(self.inputs), tokens=tokens, dimension=2, fixed_head=False, planar=True)

    def build(self) -> Problem:
        tokens = np.array([[one.tokens for one in self.inputs]], dtype=float)
        labels = np.array([[one.label for one in self.inputs]], dtype=float)
        return Problem(tokens, labels, np.eye(2), np.zeros(labels.shape, dtype=np.int64))
