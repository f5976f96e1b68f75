"""A max-margin solution whose constraints are pairs (selected token, other token) of each input."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attention_dynamics.margins.max_margin import Infeasible, Solution, solve_max_margin
from attention_dynamics.problems.arrays import check_array, takes_arrays
from attention_dynamics.problems.problem import Array

NEIGHBOR_TOLERANCE = 1e-6


@dataclass(frozen=True)
class TokenSolution(Solution):
    """A solution whose margins, p'(k_i,selected - k_it), and multipliers are arrays over inputs and tokens, (n, T).

    Tokens without a constraint, such as the selected ones, have margin NaN and multiplier 0.
    selected: (n,), the index of the token of each input that is separated from the others.
    """

    selected: NDArray[np.int64]

    def neighbors(self, tolerance: float = NEIGHBOR_TOLERANCE) -> NDArray[np.bool_]:
        """Return the SVM-neighbors (Max-margin Definition 2), (n, T) booleans: tokens with margin 1 up to tolerance."""
        return np.abs(self.margins - 1.0) <= tolerance


@takes_arrays()
def separate_tokens(
    keys: Array,
    selected: NDArray[np.int64],
    required: Array | None = None,
    rivals: NDArray[np.bool_] | None = None,
    solve: Callable[[Array, Array], Solution | Infeasible] = solve_max_margin,
) -> TokenSolution | Infeasible:
    """Return argmin |p| subject to p'(k_i,selected - k_it) >= required_i for all rivals t != selected_i, or Infeasible.

    keys: (n, T, d); selected: (n,) indices; required: (n,), 1 by default; rivals: (n, T) booleans, True for the tokens
    from which the selected token of the input is separated, by default all; solve: the solver, which decides the norm.
    The certificate of Infeasible has the shape (n, T).
    Raises as ``solve``. Raises ValueError for ``keys`` or ``required`` of another shape, for ``selected`` without one
    index from 0 to T - 1 per input, and if there is no rival.
    """
    n, T, _ = check_array("keys", keys, ("n", "T", "d"), (None,) * 3).shape
    required = np.ones(n) if required is None else check_array("required", required, ("n",), (n,))
    if selected.shape != (n,) or selected.min() < 0 or selected.max() >= T:
        raise ValueError(f"selected: need one token index in [0, {T}) for each of {n} inputs, got {selected.tolist()}")
    others = np.arange(T) != selected[:, None]
    if rivals is not None:
        others &= rivals
    if not others.any():
        raise ValueError("keys: there is no token to separate the selected ones from")
    answer = solve(token_differences(keys, selected, others), np.repeat(required, others.sum(1)))
    if isinstance(answer, Infeasible):
        return Infeasible(_lay_out(answer.certificate, others, 0.0), answer.residual)
    margins, duals = _lay_out(answer.margins, others, np.nan), _lay_out(answer.duals, others, 0.0)
    return TokenSolution(**vars(answer) | {"margins": margins, "duals": duals}, selected=selected)


@takes_arrays()
def token_differences(keys: Array, selected: NDArray[np.int64], others: NDArray[np.bool_] | None = None) -> Array:
    """Return k_i,selected - k_it for all inputs i and tokens t in ``others``, (constraints, d), input by input.

    keys: (n, T, d); selected: (n,) indices; others: (n, T) booleans, by default True for all but the selected tokens.
    """
    n, T, _ = keys.shape
    if others is None:
        others = np.arange(T) != selected[:, None]
    differences: Array = keys[np.arange(n), selected][:, None] - keys
    return differences[others]


def _lay_out(values: Array, others: NDArray[np.bool_], elsewhere: float) -> Array:
    """Return an array (n, T) with ``values``, one per constraint, where ``others`` is True and ``elsewhere`` if not."""
    table = np.full(others.shape, elsewhere)
    table[others] = values
    return table
