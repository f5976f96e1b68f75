"""Training of the decoder alone, one class per step, with fixed attention (Scan and snap, Section 4 and Appendix D).

The columns of F, (M, K), are the class vectors f_n of eq. 7: unit vectors, linearly independent. The next token of
class n is token n. E is defined by F'F = I + E.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy  # Not scipy.special: SciPy loads it on first use, and reading a configuration does not need it.

from attention_dynamics.problems.arrays import check_array, check_increasing, takes_arrays
from attention_dynamics.problems.problem import Array
from attention_dynamics.scaling import euclidean_norm
from attention_dynamics.theory.argument_checks import require_above, require_at_least
from attention_dynamics.theory.growth_laws import gamma


class Backpropagation(NamedTuple):
    """Coefficients of the gradients g_n = Y (e_n - alpha_n) in Theorem 1 (eq. 9), at R steps; see ``backpropagation``.

    alpha_n is softmax(Y'f_n).
    step: (R,). gamma: (R,). iota: (R, K). beta: (R, K, K), beta_nn' in row n and column n', zero on the diagonal.
    residual: (R,), the distance of g_n from the span of the columns of F, divided by |g_n|; the largest over n.
    """

    step: Array
    gamma: Array
    iota: Array
    beta: Array
    residual: Array


@takes_arrays()
def class_vectors(P: Array) -> Array:
    """Return F, (M, K): the rows P(l|n) of P, (K, M), divided by their norms. These are the f_n of eq. 7 for Z = 0."""
    return (P / euclidean_norm(P, 1, keepdims=True)).T


@takes_arrays()
def gram_deviation(F: Array) -> Array:
    """Return E = F'F - I, (K, K). Assumption 2 requires that 0 < |e| < 1/K for every eigenvalue e of E.

    Raises ValueError unless the columns of F are unit vectors and linearly independent.
    """
    if not np.allclose(np.linalg.norm(F, axis=0), 1.0):
        raise ValueError("the columns of F must be unit vectors")
    if np.linalg.matrix_rank(F) < F.shape[1]:
        raise ValueError("the columns of F must be linearly independent")
    return F.T @ F - np.eye(F.shape[1])


@takes_arrays()
def correlation_margin(f: Array, M: float) -> Array:
    """Return the margin, (...), by which Assumption 2 holds for M tokens; negative if it fails.

    f: (..., K, tokens), the class vectors as rows. For the eigenvalues e of E, the margin is the smaller one of
    1/K - max |e| and min |e|^2 / 2 - (3 K / M) max |e|. The proof of Theorem 1 needs the second number to be positive
    (eq. 93). Raises ValueError unless the rows are unit vectors.
    """
    if not np.allclose(euclidean_norm(f, -1), 1):
        raise ValueError("f: must be unit vectors")
    K = f.shape[-2]
    sizes = np.abs(np.linalg.eigvalsh(f @ f.swapaxes(-1, -2)) - 1)
    largest = sizes.max(-1)
    return np.minimum(1 / K - largest, sizes.min(-1) ** 2 / 2 - 3 * K / M * largest)


@takes_arrays()
def correction(F: Array) -> Array:
    """Return E' = I - (I + E)^-1, (K, K), for which F'(f_n - F E' e_n) = e_n (eq. 26 and Lemma 14).

    Appendix D.1 defines it with the opposite sign. Then the vectors F'(f_n - F E' e_n) are the columns of I + 2 E.
    Raises ValueError as ``gram_deviation`` does.
    """
    identity = np.eye(F.shape[1])
    return identity - np.linalg.inv(identity + gram_deviation(F))


@takes_arrays()
def train_decoder(F: Array, classes: Sequence[int], *, eta_Y: float, record_steps: Sequence[int]) -> Array:
    """Train from Y = 0 (eq. 26) and return Y, (R, M, M), at the R increasing steps ``record_steps``.

    Step s trains on class n = classes[s]: Y <- Y + eta_Y (f_n - F E' e_n)(e_n - softmax(Y'f_n))', with E' from
    ``correction``.
    Raises ValueError as ``gram_deviation`` does, for eta_Y <= 0, and for entries of ``classes`` not in 0, ..., K - 1.
    Also raises ValueError if ``record_steps`` do not increase, or if one exceeds the length of ``classes``.
    """
    require_above(0.0, eta_Y=eta_Y)
    check_increasing(record_steps)
    _, K = check_array("F", F, ("M", "K"), (None, None)).shape
    if any(not 0 <= n < K for n in classes):
        raise ValueError(f"classes: need indices in [0, {K})")
    if record_steps[-1] > len(classes):
        raise ValueError(f"step {record_steps[-1]} is larger than the number of classes given, {len(classes)}")
    M = len(F)
    directions = F - F @ correction(F)
    Y, history, s = np.zeros((M, M)), np.empty((len(record_steps), M, M)), 0
    for row, end in enumerate(record_steps):
        for n in classes[s:end]:
            error = -scipy.special.softmax(F[:, n] @ Y)
            error[n] += 1.0
            Y += np.multiply.outer(eta_Y * directions[:, n], error)
        history[row], s = Y, end
    return history


@takes_arrays()
def backpropagation(Y: Array, F: Array, step: Sequence[int], *, eta_Y: float) -> Backpropagation:
    """Return the coefficients of Theorem 1 for decoders Y, (R, M, M), recorded at the steps ``step``, (R,), all >= 1.

    g_n = gamma (iota_n f_n - sum over n' != n of beta_nn' f_n') with gamma of eq. 85. If the classes are drawn
    uniformly, iota_n is about 1 - E'_nn, and beta_nn' is about E'_nn'. Eqs. 86-89 bound the errors.
    Raises ValueError for a step below 1, and as ``gram_deviation`` and ``growth_laws.gamma`` do.
    """
    M, K = F.shape
    steps = require_at_least(1.0, step=step)[0]
    gram = np.eye(K) + gram_deviation(F)
    g = Y @ (np.eye(M)[:, :K] - scipy.special.softmax(Y.swapaxes(1, 2) @ F, axis=1))
    coefficients = np.linalg.solve(gram, F.T @ g)
    residual = euclidean_norm(g - F @ coefficients, axis=1) / euclidean_norm(g, axis=1)
    size = gamma(K * np.ceil(steps / K), eta_Y, M, K)
    coefficients = coefficients.swapaxes(1, 2) / size[:, None, None]
    iota = np.diagonal(coefficients, axis1=1, axis2=2)
    return Backpropagation(steps, size, iota, iota[:, :, None] * np.eye(K) - coefficients, residual.max(axis=1))
