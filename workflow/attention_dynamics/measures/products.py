"""Inner products of the tokens or keys of problems with a trained parameter."""

from attention_dynamics.problems.arrays import takes_arrays
from attention_dynamics.problems.problem import Array


@takes_arrays()
def products(vectors: Array, parameter: Array) -> Array:
    """Return the inner products of vectors with a parameter along a trajectory, (records, P, starts, n, T).

    vectors: (P, n, T, m), the tokens or keys of P problems. parameter: (records, P, starts, m).
    """
    P, n, T, m = vectors.shape
    records, _, starts, _ = parameter.shape
    points = parameter.swapaxes(0, 1).reshape(P, records * starts, m)
    table = points @ vectors.reshape(P, n * T, m).swapaxes(1, 2)
    return table.reshape(P, records, starts, n, T).swapaxes(0, 1)
