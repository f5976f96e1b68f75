"""Mirror flow, the limit of small steps, far from the origin.

The mirror image m(W) = sign(W) |W|^(p - 1) moves along the negative gradient. Far out, this is a combination, with
positive weights, of the constraints g_i of the l_p-AttSVM whose margins are smallest. Hence m(W) = sum_i lambda_i g_i
plus a remainder that no longer grows. Two errors keep W / |W|_p from the direction of the SVM. First, margins that go
to infinity together differ by O(1), which is O(1 / |W|_p) relative to |W|_p. Second, the remainder is O(1), which is
O(|W|_p^(1 - p)) relative to |m(W)|_q = |W|_p^(p - 1). The divergence is quadratic in the larger of these two errors.
"""


def divergence_exponent(p: float) -> float:
    """Return the power of |W|_p with which the divergence from the l_p-AttSVM falls: -2 min(1, p - 1)."""
    return -2 * min(1.0, p - 1)


def norm_exponent(p: float) -> float:
    """Return the power of the number of normalized steps with which |W|_p grows: 1 / (p - 1).

    Each step moves m(W) by a vector of the same dual norm, and late steps have the same direction, so that the dual
    norm of m(W), |W|_p^(p - 1), grows linearly.
    """
    return 1 / (p - 1)
