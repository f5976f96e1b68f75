"""The risk of attention by its definition, in as many digits as mpmath is set to."""

import mpmath

EXACT_LOSSES = {
    "logistic": lambda m: mpmath.log1p(mpmath.exp(-m)),
    "exponential": lambda m: mpmath.exp(-m),
    "correlation": lambda m: -m,
}


def exact_risk(problem, p, loss="logistic"):
    """Return the risk of the first problem of a batch, which has a fixed head, at p. p: numbers of mpmath."""
    total = mpmath.mpf(0)
    for keys, scores in zip(problem.keys[0].tolist(), problem.scores()[0].tolist(), strict=True):
        weights = [mpmath.exp(mpmath.fdot(key, p)) for key in keys]
        total += EXACT_LOSSES[loss](mpmath.fdot(weights, scores) / mpmath.fsum(weights))
    return total / len(problem.keys[0])
