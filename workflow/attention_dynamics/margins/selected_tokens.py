"""Selection of one token per input, by a setting, by scores or by a trained prompt."""

from dataclasses import replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.problems.arrays import takes_arrays
from attention_dynamics.problems.problem import Array, Problem
from attention_dynamics.types import Selection

TIE_TOLERANCE = 1e-12


def selected_tokens(problem: Problem, index: int, select: Selection) -> NDArray[np.int64]:
    """Return token indices, (n,), for problem ``index``: its optimal tokens, or those listed in ``select``.

    Raises ValueError unless ``select`` is "optimal" or has one token index, from 0 to T - 1, for every input.
    """
    if select == "optimal":
        return cast(NDArray[np.int64], problem.optimal[index])
    n, T = problem.tokens.shape[1:3]
    if len(select) != n or max(select) >= T:
        raise ValueError(f"select: need one token index in [0, {T}) for each of {n} inputs, got {list(select)}")
    return np.array(select)


@takes_arrays()
def tied_optimal(scores: Array) -> NDArray[np.bool_]:
    """Return the sets O_i of optimal tokens (Max-margin Appendix D), as booleans (..., n, T).

    scores: (..., n, T). O_i has the tokens whose score equals the best score of input i up to TIE_TOLERANCE times the
    largest absolute score of input i. This allows for the rounding of v'x, and no more.
    """
    ties: NDArray[np.bool_] = scores >= scores.max(-1, keepdims=True) - TIE_TOLERANCE * np.abs(scores).max(
        -1, keepdims=True
    )
    return ties


@takes_arrays()
def select_trained(problem: Problem, prompts: Array, saturated: float) -> tuple[Problem, NDArray[np.bool_]]:
    """Return the problem with ``optimal`` replaced by the tokens that prompts select, and a mask of saturated problems.

    prompts: (P, d). A prompt selects the most probable token of each input. The mask, (P,), is True where the mean over
    the inputs of the largest softmax probability is at least ``saturated`` (Max-margin Fig 9).
    """
    logits = token_logits(problem, prompts[None])[0]
    return replace(problem, optimal=logits.argmax(-1)), mean_largest_probability(logits) >= saturated


@takes_arrays()
def token_logits(problem: Problem, prompts: Array) -> Array:
    """Return the logits k_it'p of every problem, (records, P, n, T), from prompts p, (records, P, d)."""
    # Each problem has a separate matrix product, so that no bit of a result depends on other problems in the batch.
    return (problem.keys @ prompts[..., None, :, None])[..., 0]


@takes_arrays()
def mean_largest_probability(logits: Array) -> Array:
    """Return the mean over the inputs of the largest softmax probability, (...), from logits (..., n, T)."""
    mean: Array = (1 / np.exp(logits - logits.max(-1, keepdims=True)).sum(-1)).mean(-1)
    return mean
