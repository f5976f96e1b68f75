"""Losses, their excess and gap, and functions of numbers given by their logarithms: against scipy and many digits."""

from itertools import product

import mpmath
import numpy as np
import pytest
import scipy.special
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_dynamics.attention.losses.correlation import Correlation
from attention_dynamics.attention.losses.exponential import Exponential
from attention_dynamics.attention.losses.log_domain import Signed, log_expm1_exp, sigmoid, signed
from attention_dynamics.attention.losses.logistic import Logistic
from attention_dynamics.attention.losses.risk_gap import log_risk_gap
from helpers.exact_risk import EXACT_LOSSES

LOSSES = {"logistic": Logistic(), "exponential": Exponential(), "correlation": Correlation()}


def test_sigmoid_matches_scipy_in_both_tails():
    x = np.concatenate([np.linspace(-700, 700, 2801), [-np.inf, np.nan, np.inf]])
    np.testing.assert_allclose(sigmoid(x), scipy.special.expit(x), rtol=1e-13)


def test_log_expm1_exp_matches_closed_form_and_neither_underflows_nor_overflows():
    for log_x in (np.linspace(-20, 6, 261), np.log(np.array([1 - 1e-12, 1.0, 1 + 1e-12]))):
        np.testing.assert_allclose(log_expm1_exp(log_x), np.log(np.expm1(np.exp(log_x))), rtol=1e-13, atol=1e-15)
    # For small x, exp(x) - 1 is x; for large x it is exp(x).
    assert log_expm1_exp(np.array([-2000.0, -745.0])).tolist() == [-2000, -745]
    assert log_expm1_exp(np.array([np.log(1e5)]))[0] == pytest.approx(1e5)


@pytest.mark.parametrize("loss", LOSSES)
def test_loss_excess_agrees_with_high_precision(loss):
    m, x = np.array(list(product([-30.0, -1.0, 0.0, 2.0, 50.0, 400.0], [1e-200, 1e-9, 0.3, 1.0, 5.0, 60.0, 900.0]))).T
    found = LOSSES[loss].log_excess(m, np.log(x))
    with mpmath.workdps(700):
        for k in range(len(m)):
            exact = EXACT_LOSSES[loss](mpmath.mpf(m[k]) - mpmath.mpf(x[k])) - EXACT_LOSSES[loss](mpmath.mpf(m[k]))
            assert found[k] == pytest.approx(float(mpmath.log(exact)), rel=1e-12, abs=1e-12)
    # Far below the smallest float it is proportional to the shortfall.
    assert LOSSES[loss].log_excess(1.0, np.array([-3000.0, -2000.0])) @ [-1, 1] == pytest.approx(1000, rel=1e-12)


def test_signed_sums_work_below_smallest_float():
    tiny = Signed(
        np.array([[1.0, -1.0, 0.0], [-1.0, -1.0, 1.0]]), np.array([[-900, -901, -np.inf], [-3e3, -2e3, -4e3]])
    )
    found = tiny.sum()
    np.testing.assert_array_equal(found.sign, [1, -1])
    np.testing.assert_allclose(found.log, [-900 + np.log(1 - np.exp(-1)), -2000], rtol=1e-12)
    nothing = signed(np.zeros((1, 2))).sum()
    assert nothing.sign == 0
    assert nothing.log == -np.inf


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_losses_keep_precision_and_log_slope_is_derivative(loss):
    margin = torch.tensor([-3.0, 0.0, 2.0, 30.0], dtype=torch.float64, requires_grad=True)
    formulas = {"logistic": torch.nn.functional.softplus(-margin), "exponential": torch.exp(-margin)}
    value = formulas.get(loss.kind, -margin)
    (slope,) = torch.autograd.grad(value.sum(), margin)
    margins = margin.detach().numpy()
    np.testing.assert_allclose(loss.value(margins), value.detach(), rtol=1e-12)
    np.testing.assert_allclose(np.exp(loss.log_slope(margins)), -slope, rtol=1e-12)
    for result in (loss.value(margins.astype(np.float32)), loss.log_slope(margins.astype(np.float32))):
        assert result.dtype == np.float32


@pytest.mark.slow
@settings(deadline=None, max_examples=25, derandomize=True)
@given(seed=st.integers(0, 10**6), size=st.floats(0, 3), loss=st.sampled_from(sorted(LOSSES)), fixed=st.booleans())
def test_loss_gap_agrees_with_high_precision(seed, size, loss, fixed):
    if loss == "correlation" and not fixed:
        return
    rng = np.random.default_rng(seed)
    logits, scores = 10**size * rng.standard_normal((3, 4)), rng.standard_normal((3, 4))
    with mpmath.workdps(2600):
        gap = mpmath.mpf(0)
        for a, gamma in zip(logits.tolist(), scores.tolist(), strict=True):
            weights = [mpmath.exp(mpmath.mpf(x) - max(a)) for x in a]
            value = mpmath.fdot(weights, gamma) / mpmath.fsum(weights)
            gap += EXACT_LOSSES[loss](value) - (EXACT_LOSSES[loss](mpmath.mpf(max(gamma))) if fixed else 0)
        expected = float(mpmath.log(gap / 3))
    found = log_risk_gap(logits, scores, LOSSES[loss], fixed_head=fixed)
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11)


def test_loss_without_infimum_has_no_gap():
    for loss in LOSSES.values():
        assert loss.has("log_excess")
        assert loss.has("log_loss") == (loss.kind != "correlation")
    with pytest.raises(ValueError, match="loss 'correlation' does not define log_loss"):
        Correlation().log_loss(np.zeros(1))
    with pytest.raises(ValueError, match="'correlation' and a trained head, the risk has no infimum"):
        log_risk_gap(np.zeros((2, 3)), np.zeros((2, 3)), Correlation(), fixed_head=False)
