"""Blocks of the configuration for inputs whose tokens are placed by hand."""

from collections.abc import Sequence

from attention_dynamics.registry import Frozen
from attention_dynamics.types import Label, Points, Several, Symbol


class LabelledInput(Frozen):
    """One input of a planar problem whose head is trained: token positions and a label."""

    tokens: Points
    label: Label


class ScoredInput(Frozen):
    """One input of a planar problem: token positions, their scores (numbers or names of settings), and a label."""

    tokens: Points
    scores: Several[float | Symbol]
    label: Label = 1


def check_token_counts(inputs: Sequence[LabelledInput | ScoredInput]) -> None:
    """Raise ValueError unless all inputs have equally many tokens."""
    counts = [len(one.tokens) for one in inputs]
    if len(set(counts)) != 1:
        raise ValueError(f"inputs: all inputs must have the same number of tokens, got {counts}")
