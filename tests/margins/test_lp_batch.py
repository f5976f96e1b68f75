"""The l_p max-margin programs of a batch, solved together, beside the same programs alone."""

import numpy as np
import pytest

from attention_dynamics.margins import lp_batch
from attention_dynamics.margins.lp_batch import solve_lp_max_margins
from attention_dynamics.margins.lp_max_margin import solve_lp_max_margin
from attention_dynamics.margins.max_margin import Infeasible, SolverError

EXPONENTS = (1.1, 1.75, 2.0, 3.0, 5.0)


@pytest.fixture(scope="module")
def batch():
    """Twelve programs of eight constraints in R^12, whose first coordinate is zero."""
    A = np.random.default_rng(0).standard_normal((12, 8, 12))
    A[..., 0] = 0.0
    return A


def refuse(A, b, p):
    raise SolverError(f"p = {p}")


def test_batch_agrees_with_programs_alone(batch, monkeypatch):
    b = np.linspace(0.5, 2, 8)
    alone = [[solve_lp_max_margin(A, b, p) for A in batch] for p in EXPONENTS]
    monkeypatch.setattr(lp_batch, "solve_lp_max_margin", refuse)
    for p, expected, found in zip(EXPONENTS, alone, solve_lp_max_margins(batch, b, EXPONENTS), strict=True):
        assert sum(solution is not None for solution in found) >= 11, p
        for one, other in zip(expected, found, strict=True):
            if other is not None:
                # |g|^(1/4), p = 5, turns rounding into more.
                np.testing.assert_allclose(other.direction, one.direction, rtol=0, atol=1e-10 if p <= 3 else 1e-5)
                assert other.norm == pytest.approx(one.norm, rel=1e-11)
                assert max(abs(other.gap), other.residual) <= lp_batch.TOLERANCE
                assert other.exponent == p


def test_answer_has_same_bits_in_every_batch(batch):
    whole = solve_lp_max_margins(batch, np.ones(8), (1.1, 3.0))
    for k in (0, 5, 11):
        for found, expected in zip(solve_lp_max_margins(batch[k : k + 1], np.ones(8), (1.1, 3.0)), whole, strict=True):
            assert (found[0].weights == expected[k].weights).all()


def test_program_without_solution_does_not_affect_others(batch):
    mixed = batch.copy()
    mixed[3, 1] = -mixed[3, 0]
    (found,) = solve_lp_max_margins(mixed, np.ones(8), [1.75])
    assert isinstance(found[3], Infeasible)
    (others,) = solve_lp_max_margins(batch, np.ones(8), [1.75])
    assert all((found[k].weights == others[k].weights).all() for k in range(12) if k != 3)


def test_program_where_newton_fails_is_solved_alone(batch, monkeypatch):
    monkeypatch.setattr(lp_batch, "MAX_NEWTON_STEPS", 0)
    (found,) = solve_lp_max_margins(batch[:2], np.ones(8), [3.0])
    for A, solution in zip(batch, found, strict=False):
        assert (solution.weights == solve_lp_max_margin(A, np.ones(8), 3.0).weights).all()


def test_program_that_nothing_solves_has_no_answer(batch, monkeypatch):
    monkeypatch.setattr(lp_batch, "MAX_NEWTON_STEPS", 0)
    monkeypatch.setattr(lp_batch, "solve_lp_max_margin", refuse)
    assert solve_lp_max_margins(batch[:2], np.ones(8), [3.0]) == [[None, None]]


def test_repeated_constraints_change_nothing(batch):
    repeated = np.concatenate([batch, batch[:, :3]], axis=1)
    for once, again in zip(
        solve_lp_max_margins(batch, np.ones(8), (1.75, 3.0)),
        solve_lp_max_margins(repeated, np.ones(11), (1.75, 3.0)),
        strict=True,
    ):
        for one, other in zip(once, again, strict=True):
            np.testing.assert_allclose(other.direction, one.direction, rtol=0, atol=1e-7)
