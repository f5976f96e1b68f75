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
    """A solution with margins and multipliers laid out over the tokens, (n, T); NaN and 0 without a constraint.

    selected: (n,), the token of each input that is separated from the others.
    """

    selected: NDArray[np.int64]

    def neighbors(self, tolerance: float = NEIGHBOR_TOLERANCE) -> NDArray[np.bool_]:
        """Return the SVM-neighbors (Max-margin Definition 2), (n, T): p'(k_selected - k_t) = 1 up to tolerance."""
        return np.abs(self.margins - 1.0) <= tolerance


@takes_arrays()
def separate_tokens(
    keys: Array,
    selected: NDArray[np.int64],
    required: Array | None = None,
    rivals: NDArray[np.bool_] | None = None,
    solve: Callable[[Array, Array], Solution | Infeasible] = solve_max_margin,
) -> TokenSolution | Infeasible:
    """Solve min |p| subject to p'(k_i,selected - k_it) >= required_i for all rivals t != selected_i.

    keys: (n, T, d); selected: (n,) indices; required: (n,), 1 by default; rivals: (n, T), the tokens to be separated
    from, all by default; solve: the norm's max-margin program. Margins are NaN and multipliers 0 for the others.
    Raises as ``solve``, and ValueError for keys of another shape, and where ``selected`` does not name one token per
    input or there is nothing to separate.
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
    """Return k_i,selected - k_it for all inputs i and tokens t in ``others``, (constraints, d).

    keys: (n, T, d); selected: (n,) indices; others: (n, T), by default all tokens but the selected ones.
    """
    n, T, _ = keys.shape
    if others is None:
        others = np.arange(T) != selected[:, None]
    differences: Array = keys[np.arange(n), selected][:, None] - keys
    return differences[others]


def _lay_out(values: Array, others: NDArray[np.bool_], elsewhere: float) -> Array:
    """Return a table over the tokens, (n, T), of values of the constraints, given in their order."""
    table = np.full(others.shape, elsewhere)
    table[others] = values
    return table
