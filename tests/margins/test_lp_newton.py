"""Newton's method for l_p max-margin programs, in batches and alone, beside the conic solver."""

import numpy as np
import pytest

from attention_dynamics.margins import lp_max_margin, lp_newton
from attention_dynamics.margins.lp_max_margin import solve_lp_max_margin, solve_lp_max_margins
from attention_dynamics.margins.max_margin import Infeasible, SolverError, solve_max_margin

EXPONENTS = (1.1, 1.75, 2.0, 3.0, 5.0)


@pytest.fixture(scope="module")
def batch():
    """Twelve programs of eight constraints in R^12, whose first coordinate is zero."""
    A = np.random.default_rng(0).standard_normal((12, 8, 12))
    A[..., 0] = 0.0
    return A


def refuse(A, b, euclidean, p):
    raise SolverError(f"p = {p}")


def test_newton_agrees_with_conic_solver(batch, monkeypatch):
    b = np.linspace(0.5, 2, 8)
    with monkeypatch.context() as patch:
        patch.setattr(lp_max_margin, "NEWTON_TOLERANCE", -1.0)
        conic = [[solve_lp_max_margin(A, b, p) for A in batch] for p in EXPONENTS]
    monkeypatch.setattr(lp_max_margin, "_solve_by_cones", refuse)
    for p, expected, found in zip(EXPONENTS, conic, solve_lp_max_margins(batch, b, EXPONENTS), strict=True):
        assert sum(solution is not None for solution in found) >= 11, p
        for one, other in zip(expected, found, strict=True):
            if other is not None:
                # |g|^(1/4), p = 5, turns rounding into more.
                np.testing.assert_allclose(other.direction, one.direction, rtol=0, atol=1e-10 if p <= 3 else 1e-5)
                assert other.norm == pytest.approx(one.norm, rel=1e-11)
                assert other.exponent == p


@pytest.mark.parametrize("p", EXPONENTS)
def test_program_alone_has_same_bits_as_in_batch(batch, p):
    (found,) = solve_lp_max_margins(batch, np.ones(8), [p])
    for A, solution in zip(batch, found, strict=True):
        assert (solution.weights == solve_lp_max_margin(A, np.ones(8), p).weights).all()


def test_program_without_solution_does_not_affect_others(batch):
    mixed = batch.copy()
    mixed[3, 1] = -mixed[3, 0]
    (found,) = solve_lp_max_margins(mixed, np.ones(8), [1.75])
    assert isinstance(found[3], Infeasible)
    (others,) = solve_lp_max_margins(batch, np.ones(8), [1.75])
    assert all((found[k].weights == others[k].weights).all() for k in range(12) if k != 3)


def test_program_where_newton_fails_is_solved_by_clarabel(batch, monkeypatch):
    monkeypatch.setattr(lp_newton, "MAX_NEWTON_STEPS", 0)
    b = np.ones(8)
    (found,) = solve_lp_max_margins(batch[:2], b, [3.0])
    for A, solution in zip(batch[:2], found, strict=True):
        expected = lp_max_margin._solve_by_cones(A, b, solve_max_margin(A, b), 3.0)
        assert (solution.weights == expected.weights).all()
        assert (solve_lp_max_margin(A, b, 3.0).weights == expected.weights).all()


def test_program_that_nothing_solves_has_no_answer(batch, monkeypatch):
    monkeypatch.setattr(lp_max_margin, "NEWTON_TOLERANCE", -1.0)
    monkeypatch.setattr(lp_max_margin, "_solve_by_cones", refuse)
    assert solve_lp_max_margins(batch[:2], np.ones(8), [3.0]) == [[None, None]]
    with pytest.raises(SolverError, match=r"p = 3\.0"):
        solve_lp_max_margin(batch[0], np.ones(8), 3.0)


def test_repeated_constraints_change_nothing(batch):
    repeated = np.concatenate([batch, batch[:, :3]], axis=1)
    for once, again in zip(
        solve_lp_max_margins(batch, np.ones(8), (1.75, 3.0)),
        solve_lp_max_margins(repeated, np.ones(11), (1.75, 3.0)),
        strict=True,
    ):
        for one, other in zip(once, again, strict=True):
            np.testing.assert_allclose(other.direction, one.direction, rtol=0, atol=1e-7)


@pytest.mark.parametrize("p", [1, 10.5, np.nan])
def test_exponent_out_of_range_is_refused(batch, p):
    with pytest.raises(ValueError, match="need 1 < p <= 10"):
        solve_lp_max_margins(batch, np.ones(8), [2.0, p])
