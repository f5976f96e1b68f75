"""Functions of numbers given by their logarithms, against scipy and closed forms."""

import numpy as np
import pytest
import scipy.special

from attention_dynamics.attention.losses.log_domain import log_expm1_exp, sigmoid


def test_sigmoid_matches_scipy_in_both_tails():
    x = np.linspace(-700, 700, 2801)
    np.testing.assert_allclose(sigmoid(x), scipy.special.expit(x), rtol=1e-13)


def test_sigmoid_keeps_nan_without_warning():
    assert np.array_equal(sigmoid(np.array([-np.inf, np.nan, np.inf])), [0, np.nan, 1], equal_nan=True)


@pytest.mark.parametrize("log_x", [np.linspace(-20, 6, 261), np.log(np.array([1 - 1e-12, 1.0, 1 + 1e-12]))])
def test_log_expm1_exp_matches_closed_form(log_x):
    np.testing.assert_allclose(log_expm1_exp(log_x), np.log(np.expm1(np.exp(log_x))), rtol=1e-13, atol=1e-15)


def test_log_expm1_exp_neither_underflows_nor_overflows():
    # For small x, exp(x) - 1 is x; for large x it is exp(x).
    assert log_expm1_exp(np.array([-2000.0, -745.0])).tolist() == [-2000, -745]
    assert log_expm1_exp(np.array([np.log(1e5)]))[0] == pytest.approx(1e5)
