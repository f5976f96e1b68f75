"""Tokens placed by hand, for joint training of the head and self-attention (Mirror descent, joint optimization)."""

from typing import Self

import numpy as np
from pydantic import model_validator

from attention_dynamics.problems.inputs import LabelledInput, check_token_counts
from attention_dynamics.problems.problem import Problem
from attention_dynamics.problems.shape import TokenShape
from attention_dynamics.problems.source import ProblemSource
from attention_dynamics.types import Several


class LabelledSequences(ProblemSource, kind="labelled_sequences"):
    """One problem in the plane for softmax(X W x_1), with the first token as the query and a trained head.

    Numbers are rounded to single precision, as in the published code. The data define no optimal tokens;
    ``Problem.optimal`` has the first token of each input in their place. inputs: token positions and label of every
    input; all inputs have equally many tokens.
    """

    inputs: Several[LabelledInput]

    @model_validator(mode="after")
    def _check_inputs(self) -> Self:
        check_token_counts(self.inputs)
        return self

    @property
    def shape(self) -> TokenShape:
        tokens = len(self.inputs[0].tokens)
        return TokenShape(inputs=len(self.inputs), tokens=tokens, dimension=2, fixed_head=False, key_dimension=4)

    def build(self) -> Problem:
        tokens = np.array([[one.tokens for one in self.inputs]], dtype=np.float32).astype(np.float64)
        labels = np.array([[one.label for one in self.inputs]], dtype=float)
        return Problem(tokens, labels, np.eye(2), np.zeros(labels.shape, dtype=np.int64), queries=tokens[:, :, 0])
