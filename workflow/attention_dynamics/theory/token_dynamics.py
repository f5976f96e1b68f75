"""The differential equation of the attention logits z (Scan and snap, Section 5).

P, (K, M), has the probabilities P(l|n) of M tokens in K classes. z, (Q, M), has a row of logits for each of Q query
tokens. ``queries``, (K,), has the index of each class's query token, a row of z. Sequences are infinitely long.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import scipy  # Not scipy.integrate: SciPy loads it on first use, and reading a configuration does not need it.

from attention_dynamics.problems.arrays import takes_arrays
from attention_dynamics.problems.problem import Array
from attention_dynamics.theory.argument_checks import require_above


class TokenDynamics(NamedTuple):
    """Solution of eq. 10 at T times. t: (T,). z and velocity (dz/dt): (T, Q, M). f (eq. 7): (T, K, M).

    xi (Theorem 1): (T, K). exponent: (T, K), the integral of eta_Z xi from t[0] on, which is B_n of Theorem 3 if
    t[0] = 0.
    """

    t: Array
    z: Array
    velocity: Array
    f: Array
    xi: Array
    exponent: Array


@takes_arrays()
def solve(
    P: Array, queries: Sequence[int], *, beta: Array, gamma: Callable[[float], float], eta_Z: float,
    times: Sequence[float], z: Array | None = None,
) -> TokenDynamics:  # fmt: skip
    """Solve eq. 10 at increasing ``times``, to a relative error of about 1e-10. z: logits at times[0], zero by default.

    beta: (K, K), nonnegative; its diagonal is not used. gamma: function of the time, such as ``growth_laws.gamma``.
    Raises ValueError for invalid P or queries (see ``check_classes``), for beta of another shape or with negative
    entries, and for eta_Z <= 0.
    Raises FloatingPointError if the integration fails.
    """
    Q = check_classes(P, queries)
    K, M = P.shape
    if np.shape(beta) != (K, K) or np.any(beta < 0):
        raise ValueError(f"beta must be {(K, K)} and nonnegative, got {beta}")
    require_above(0.0, eta_Z=eta_Z)
    others = beta * ~np.eye(K, dtype=bool)
    start = np.zeros((Q, M)) if z is None else z

    def rates(t: float, state: Array) -> tuple[Array, Array, Array]:
        f = attended(P, state[: Q * M].reshape(Q, M), queries)
        pushes = -gamma(t) * others @ f
        # The pushes are g_n of Theorem 1 without the term iota_n f_n, because ``attention_gradient`` removes the part
        # along f_n.
        velocity = eta_Z * by_query(attention_gradient(f, pushes), queries, Q)
        return velocity, f, -(f * pushes).sum(-1)

    def derivative(t: float, state: Array) -> Array:
        velocity, _, xi = rates(t, state)
        return np.concatenate([velocity.ravel(), eta_Z * xi])

    solution = scipy.integrate.solve_ivp(
        derivative, (times[0], times[-1]), np.concatenate([start.ravel(), np.zeros(K)]), method="DOP853",
        t_eval=times, rtol=1e-11, atol=1e-13,
    )  # fmt: skip
    if not solution.success:
        raise FloatingPointError(f"the differential equation of attention was not solved: {solution.message}")
    states = solution.y.T
    velocity, f, xi = map(np.stack, zip(*map(rates, solution.t, states), strict=True))
    return TokenDynamics(solution.t, states[:, : Q * M].reshape(-1, Q, M), velocity, f, xi, states[:, Q * M :])


@takes_arrays()
def attended(P: Array, z: Array, queries: Sequence[int]) -> Array:
    """Return f_n = c_n / |c_n|, (..., K, M), where c_n is proportional to P(l|n) e^(z_ml) (eqs. 5 and 7).

    m is the query token of class n. z: (..., Q, M).
    """
    logits = np.where(P > 0, z[..., queries, :], -np.inf)
    weights = P * np.exp(logits - logits.max(-1, keepdims=True))
    return weights / np.linalg.norm(weights, axis=-1, keepdims=True)


@takes_arrays()
def attention_gradient(f: Array, g: Array) -> Array:
    """Return diag(f_n) (I - f_n f_n') g_n, the gradient of class n with respect to the logits of its query token.

    f, g and the result have the shape (..., K, M). Source: Lemmas 1 and 2.
    """
    return f * (g - f * (f * g).sum(-1, keepdims=True))


@takes_arrays()
def by_query(values: Array, queries: Sequence[int], Q: int) -> Array:
    """Return the sums of ``values``, (..., K, M), over the classes of each query token: (..., Q, M)."""
    return (np.arange(Q)[:, None] == np.asarray(queries)).astype(float) @ values


@takes_arrays()
def distinct_tokens(P: Array) -> Array:
    """Return a mask, (K, M): true for a token that has P > 0 in this class alone (distinct token, Theorem 2)."""
    return (P > 0) & ((P > 0).sum(0) == 1)


@takes_arrays()
def growth_law_error(P: Array, queries: Sequence[int], z: Array) -> Array:
    """Return the relative error of eq. 11 (Theorem 3) for each class, (..., K), at the logits z, (..., Q, M).

    z(0) = 0 is assumed. The error is the largest |r / (r(0) chi_l) - 1| over pairs l, l' of the class's distinct tokens
    with different probabilities, where r = (P(l) e^(z_l) / (P(l') e^(z_l')))^2 - 1 and chi_l = e^(2 z_l) (eq. 11).
    Raises ValueError for invalid P or queries (see ``check_classes``), and for a class without such a pair.
    """
    check_classes(P, queries)
    errors = []
    for probabilities, query, distinct in zip(P, queries, distinct_tokens(P), strict=True):
        p, logits = probabilities[distinct], z[..., query, distinct]
        start = np.divide.outer(p, p) ** 2 - 1
        pairs = start != 0
        if not pairs.any():
            raise ValueError("every class needs two distinct tokens with different probabilities")
        gain = (start + 1) * np.exp(2 * (logits[..., :, None] - logits[..., None, :])) - 1
        law = start * np.exp(2 * logits[..., :, None])
        errors.append(np.abs(gain[..., pairs] / law[..., pairs] - 1).max(-1))
    return np.stack(errors, axis=-1)


@takes_arrays()
def check_classes(P: Array, queries: Sequence[int]) -> int:
    """Check P and ``queries``, and return Q, the number of query tokens.

    Raises ValueError unless the rows of P are nonnegative and sum to one. Raises ValueError unless ``queries`` has an
    index for each row of P, and the indices that occur are 0, ..., Q - 1.
    """
    if P.ndim != 2 or np.any(P < 0) or not np.allclose(P.sum(1), 1.0):
        raise ValueError("P must have nonnegative rows that sum to one")
    if len(queries) != len(P) or sorted(set(queries)) != list(range(max(queries) + 1)):
        raise ValueError(f"needs one query for each of {len(P)} classes, numbered from 0 without gaps, got {queries}")
    return max(queries) + 1
