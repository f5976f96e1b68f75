"""Bounds of the risk by the probability of non-optimal tokens (Max-margin Lemma 14)."""

import numpy as np
import pytest

from attention_dynamics.theory.linear_mixing import risk_bounds


def logistic_risk(scores: np.ndarray, softmax: np.ndarray) -> float:
    return float(np.log1p(np.exp(-(softmax * scores).sum(-1))).mean())


def test_risk_bounds_match_closed_form_for_two_tokens():
    lower, upper = risk_bounds(np.array([[1.0, -0.5]]))
    assert lower == pytest.approx(1.5 / (1 + np.e))
    assert upper == pytest.approx(1.5 / (1 + np.exp(-0.5)))


def test_risk_bounds_hold_for_random_softmax():
    rng = np.random.default_rng(3)
    for _ in range(200):
        scores = rng.normal(size=(3, 4))
        softmax = rng.dirichlet(np.full(4, 0.3), size=3)
        best = scores == scores.max(-1, keepdims=True)
        q_max = (softmax * ~best).sum(-1).max()
        excess = logistic_risk(scores, softmax) - logistic_risk(scores, best.astype(float))
        lower, upper = risk_bounds(scores)
        assert lower * q_max <= excess + 1e-12
        assert excess <= upper * q_max + 1e-12
