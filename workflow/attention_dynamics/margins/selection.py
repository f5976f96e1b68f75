"""Which token of each input a reference direction separates from the others."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.problems.problem import Array, Problem
from attention_dynamics.types import Selection

TIE = 1e-12


def selected_tokens(problem: Problem, index: int, select: Selection) -> NDArray[np.int64]:
    """(n,) token indices in problem ``index``: its optimal tokens, or those listed."""
    return problem.optimal[index] if select == "optimal" else np.array(select)


def tied_optimal(scores: Array) -> NDArray[np.bool_]:
    """The sets O_i of optimal tokens (Max-margin Appendix D): those that tie with their input's best. Shape of scores.

    scores: (..., n, T). A tie is up to 1e-12 of the input's largest absolute score: the rounding of v'x and no more.
    """
    return scores >= scores.max(-1, keepdims=True) - TIE * np.abs(scores).max(-1, keepdims=True)


def select_trained(problem: Problem, prompts: Array, saturated: float) -> tuple[Problem, NDArray[np.bool_]]:
    """The problem with the tokens that prompts select, those of the largest softmax, in place of the optimal ones.

    prompts: (P, d). Returns also, (P,), in which problems the softmax is saturated: the mean over the inputs of its
    largest probability is at least ``saturated`` (Max-margin Fig 9).
    """
    logits = token_logits(problem, prompts[None])[0]
    return replace(problem, optimal=logits.argmax(-1)), mean_largest_probability(logits) >= saturated


def token_logits(problem: Problem, prompts: Array) -> Array:
    """K p of every problem, (records, P, n, T), from prompts (records, P, d)."""
    # One product per problem: no bit of a result depends on which other problems are in the batch.
    return (problem.keys @ prompts[..., None, :, None])[..., 0]


def mean_largest_probability(logits: Array) -> Array:
    """Mean over the inputs of the largest softmax probability, (...), from logits (..., n, T)."""
    return (1 / np.exp(logits - logits.max(-1, keepdims=True)).sum(-1)).mean(-1)
