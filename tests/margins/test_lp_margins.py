"""The l_p max-margin programs: closed forms, another solver, published numbers, and their certificates."""

from functools import partial
from types import SimpleNamespace

import clarabel
import numpy as np
import pytest
import scipy.optimize
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attention_dynamics.margins import lp_max_margin, lp_newton
from attention_dynamics.margins.attention_svm import attention_svm
from attention_dynamics.margins.lp_attention_svm import LpAttentionSVM, lp_attention_svm
from attention_dynamics.margins.lp_label_svm import LpLabelSVM, lp_label_svm
from attention_dynamics.margins.lp_max_margin import solve_lp_max_margin, solve_lp_max_margins
from attention_dynamics.margins.lp_norms import lp_norm, mirror_image
from attention_dynamics.margins.max_margin import Infeasible, SolverError, solve_max_margin
from attention_dynamics.margins.references import tabulate
from attention_dynamics.problems.random_sphere import RandomSphere
from helpers.refusals import assert_refused

EXPONENTS = [1.1, 1.5, 1.75, 3, 10]
# Data of the paper's joint runs: two inputs of three tokens in the plane, labels, the first tokens as queries.
JOINT = np.array([[[-2.7, 1.2], [1.4, 2.1], [1.3, -0.1]], [[0.4, -2.2], [-1.1, -0.4], [0.9, 0.1]]])
JOINT_LABELS = np.array([1.0, -1.0])
JOINT_KEYS = np.einsum("nti,nj->ntij", JOINT, JOINT[:, 0]).reshape(2, 3, 4)

some = settings(
    deadline=None, max_examples=40, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
seeds = st.integers(0, 10**6)


def conjugate(p) -> float:
    return p / (p - 1)


def merged_weights_program(seed) -> np.ndarray:
    """Rows vec((x_i1 - x_it) z_i') of unit tokens and queries, 42 constraints in R^100."""
    rng = np.random.default_rng(seed)
    tokens, queries = rng.standard_normal((6, 8, 10)), rng.standard_normal((6, 10))
    tokens /= np.linalg.norm(tokens, axis=-1, keepdims=True)
    queries /= np.linalg.norm(queries, axis=-1, keepdims=True)
    return np.einsum("nti,nj->ntij", tokens[:, :1] - tokens[:, 1:], queries).reshape(42, 100)


def slsqp_weights(A, b, p) -> np.ndarray:
    """argmin |w|_p subject to A w >= b."""
    start = solve_max_margin(A, b).weights
    unit = np.linalg.norm(start, p)
    constraint = {"type": "ineq", "fun": lambda w: unit * A @ w - b, "jac": lambda w: unit * A}
    answer = scipy.optimize.minimize(
        lambda w: np.sum(np.abs(w) ** p) / p, start / unit, jac=lambda w: np.sign(w) * np.abs(w) ** (p - 1),
        constraints=constraint, method="SLSQP", options={"maxiter": 1000, "ftol": 1e-15},
    )  # fmt: skip
    return unit * answer.x


@pytest.fixture
def without_newton(monkeypatch):
    """Reject every iterate of Newton's method, so that Clarabel solves the program."""
    monkeypatch.setattr(lp_max_margin, "NEWTON_TOLERANCE", -1.0)


@pytest.fixture(params=["newton", "conic"])
def method(request):
    """Run the test twice: as users solve programs, and with Clarabel alone."""
    if request.param == "conic":
        request.getfixturevalue("without_newton")


def of_one_row(row, p):
    """argmin |w|_p subject to row @ w >= 1."""
    image = np.sign(row) * np.abs(row) ** (conjugate(p) - 1)
    return image / (row @ image)


ROW, PAIR = np.random.default_rng(0).standard_normal(7), np.array([1.0, -2.0])
# Programs with solutions in closed form, as functions of p.
CLOSED_FORMS = {
    "one row": (ROW[None], np.ones(1), lambda p: of_one_row(ROW, p)),
    "separate coordinates": (np.diag([0.5, 2, 0.1]), np.array([1, 1, 0.2]), lambda p: np.array([2, 0.5, 2])),
    "two blocks": (np.kron(np.eye(2), PAIR), np.ones(2), lambda p: np.tile(of_one_row(PAIR, p), 2)),
}


@pytest.mark.usefixtures("method")
@pytest.mark.parametrize("p", EXPONENTS)
@pytest.mark.parametrize("name", CLOSED_FORMS)
def test_solution_has_closed_form(name, p):
    A, b, weights = CLOSED_FORMS[name]
    solution = solve_lp_max_margin(A, b, p)
    np.testing.assert_allclose(solution.weights, weights(p), rtol=1e-9)
    assert solution.norm == pytest.approx(np.linalg.norm(weights(p), p), rel=1e-12)


@pytest.mark.usefixtures("method")
def test_euclidean_solution_agrees_with_max_margin_solver():
    for seed in range(3):
        A = merged_weights_program(seed)
        ours, theirs = solve_lp_max_margin(A, np.ones(42), 2.0), solve_max_margin(A, np.ones(42))
        np.testing.assert_allclose(ours.weights, theirs.weights, rtol=0, atol=1e-9)
        near = solve_lp_max_margin(A, np.ones(42), 2 + 1e-10)
        np.testing.assert_allclose(near.weights, theirs.weights, rtol=0, atol=1e-8)
        np.testing.assert_allclose(near.duals, theirs.duals, rtol=0, atol=1e-7)


@pytest.mark.usefixtures("method")
@pytest.mark.parametrize("p", EXPONENTS)
def test_weights_agree_with_other_solver(p):
    rng = np.random.default_rng(1)
    for _ in range(6):
        m, d = rng.integers(1, 6), rng.integers(6, 9)
        A, b = rng.standard_normal((m, d)), rng.uniform(0.5, 2, m)
        solution, weights = solve_lp_max_margin(A, b, p), slsqp_weights(A, b, p)
        assert (A @ weights - b).min() >= -1e-8
        assert solution.norm == pytest.approx(np.linalg.norm(weights, p), rel=1e-7)
        np.testing.assert_allclose(solution.weights, weights, rtol=0, atol=1e-3 * np.abs(weights).max())
        # Repeated constraints change nothing.
        again = solve_lp_max_margin(np.concatenate([A, A, 2 * A]), np.concatenate([b, b, 2 * b]), p)
        np.testing.assert_allclose(again.weights, solution.weights, atol=1e-8 * solution.norm)
        assert again.error <= 1e-10


@pytest.mark.usefixtures("method")
@pytest.mark.parametrize("p", EXPONENTS)
def test_merged_weights_are_exact_to_rounding(p):
    for seed in range(2):
        A = merged_weights_program(seed)
        solution = solve_lp_max_margin(A, np.ones(42), p)
        assert max(abs(solution.gap), solution.residual) <= 1e-12
        tight = solution.margins <= 1 + 1e-6
        mirrored = mirror_image(solution.weights / solution.norm, p)
        # |w|^0.1 is 0.03 where w is the rounding of a zero.
        tolerance = 1e-9 if p >= 1.5 else 1e-3
        assert scipy.optimize.nnls(A[tight].T, mirrored)[1] <= tolerance * np.linalg.norm(mirrored)
        np.testing.assert_array_equal(solution.support & ~tight, False)


@pytest.mark.usefixtures("method")
def test_solutions_match_published_joint_runs():
    heads = {1.75: [0.02551, 0.45918], 2: [0.02551, 0.45918], 3: [-0.18315, 0.42125]}
    weights = {
        1.75: [-0.08180, -0.06274, -0.07767, 0.19851],
        2: [-0.08392, -0.06750, -0.07944, 0.19454],
        3: [0.10982, -0.03228, -0.06664, 0.19687],
    }
    for p in heads:
        selected = np.array([0, 0]) if p == 3 else np.array([1, 0])
        features = JOINT[[0, 1], selected]
        np.testing.assert_allclose(lp_label_svm(features, JOINT_LABELS, p).weights, heads[p], atol=1e-5)
        np.testing.assert_allclose(lp_attention_svm(JOINT_KEYS, selected, p).weights, weights[p], atol=1e-5)


@pytest.mark.usefixtures("method")
@some
@given(seed=seeds, p=st.floats(1.05, 10), m=st.integers(1, 8), d=st.integers(1, 12))
def test_answers_are_certified(seed, p, m, d):
    rng = np.random.default_rng(seed)
    A, b = rng.standard_normal((m, d)), rng.uniform(0.1, 1, m) * (np.arange(m) < rng.integers(1, m + 1))
    answer = solve_lp_max_margin(A, b, p)
    if isinstance(answer, Infeasible):
        np.testing.assert_array_equal(answer.certificate, solve_max_margin(A, b).certificate)
        return
    length = np.linalg.norm(answer.weights, p)
    assert answer.norm == pytest.approx(length, rel=1e-12)
    np.testing.assert_allclose(answer.margins, A @ answer.weights, atol=1e-12 * length * np.abs(A).max())
    assert (answer.margins - b).min() >= -1e-7
    assert ((answer.margins - b)[b > 0]).min() >= -1e-12
    assert answer.duals.min() >= 0
    assert abs(answer.gap) <= 1e-6
    bound = b @ answer.duals / np.linalg.norm(A.T @ answer.duals, conjugate(p))
    assert bound == pytest.approx(length, rel=1e-6)
    for y in rng.exponential(size=(20, m)) * (rng.random((20, m)) < 0.5):
        assert b @ y <= np.linalg.norm(A.T @ y, conjugate(p)) * length * (1 + 1e-9)


@pytest.mark.parametrize("p", [1.5, 3])
def test_constraint_misjudged_by_conic_solver_is_corrected(monkeypatch, without_newton, p):
    A, b = merged_weights_program(0), np.ones(42)
    expected, conic = solve_lp_max_margin(A, b, p), lp_max_margin._solve_conic_program

    def misjudges(A, b, p):
        w, y = conic(A, b, p)
        slack = A @ w - b
        active = y > slack
        dropped, added = np.where(active, y, np.inf).argmin(), np.where(active, np.inf, slack).argmin()
        y[[dropped, added]] = 0, 1.01 * slack[added]
        return w, y

    monkeypatch.setattr(lp_max_margin, "_solve_conic_program", misjudges)
    np.testing.assert_allclose(solve_lp_max_margin(A, b, p).weights, expected.weights, atol=1e-9)


WRONG_ANSWERS = {
    "weights": lambda w, y, rng: (w + 1e-2 * np.abs(w).max() * rng.standard_normal(len(w)), y),
    "opposite": lambda w, y, rng: (-w, y),
    "multipliers": lambda w, y, rng: (w, y + 1e-2 * y.max() * rng.random(len(y))),
    "negative": lambda w, y, rng: (w, -y),
    "unknown": lambda w, y, rng: (np.full_like(w, np.nan), y),
}


@pytest.mark.parametrize("p", [1.5, 3])
def test_wrong_answers_of_conic_solver_are_refused(monkeypatch, without_newton, p):
    A, b, rng = merged_weights_program(0), np.ones(42), np.random.default_rng(0)
    conic = lp_max_margin._solve_conic_program
    monkeypatch.setattr(lp_max_margin, "_polish", lambda A, b, w, y, p: (w, y))
    for wrong in WRONG_ANSWERS.values():
        monkeypatch.setattr(lp_max_margin, "_solve_conic_program", lambda *program: wrong(*conic(*program), rng))  # noqa: B023
        with pytest.raises(SolverError, match=r"42 constraints in R\^100: relative gap .* \(at most 1e-06\)"):
            solve_lp_max_margin(A, b, p)
    first = np.array([1.0, 0.0])
    monkeypatch.setattr(lp_max_margin, "_solve_conic_program", lambda A, b, p: (first, first))
    with pytest.raises(SolverError, match=r"margins short by 1\.0e-05"):
        solve_lp_max_margin(np.array([[1.0, 0.0], [-1e-5, 1.0]]), first, 3)


@pytest.mark.parametrize(("status", "number"), [("PrimalInfeasible", 1.0), ("NumericalError", np.nan)])
def test_failing_conic_solver_does_not_mean_infeasible(monkeypatch, without_newton, status, number):
    answer = SimpleNamespace(status=status, x=np.full(5, number), z=np.full(8, number))
    monkeypatch.setattr(clarabel, "DefaultSolver", lambda *program: SimpleNamespace(solve=lambda: answer))
    with pytest.raises(SolverError, match=f"which is feasible: Clarabel ends with status {status}"):
        solve_lp_max_margin(np.ones((1, 2)), np.ones(1), 3)


@pytest.mark.usefixtures("method")
@pytest.mark.parametrize("p", [1.0001, 1.01, *EXPONENTS])
def test_programs_of_many_shapes_are_certified(p):
    for seed in range(5):
        A = np.random.default_rng(seed).standard_normal((seed + 1, 7))
        assert solve_lp_max_margin(A, np.ones(seed + 1), p).error <= 1e-10
    rng = np.random.default_rng(4)
    for m, d, margin in [(20, 2, 1e-2), (20, 5, 1e-4), (80, 2, 1e-1), (80, 11, 1.0)] if p > 1.05 else ():
        u = rng.standard_normal(d)
        rows = rng.standard_normal((m, d))
        rows += np.outer(margin * rng.uniform(0.5, 1, m) - rows @ u, u / (u @ u))
        solution = solve_lp_max_margin(rows, np.ones(m), p)
        assert abs(solution.gap) <= 1e-9
        assert solution.margins.min() >= 1 - 1e-9


@pytest.mark.slow
@pytest.mark.usefixtures("method")
def test_exponent_of_one_up_to_rounding_gives_least_sum_of_sizes():
    for seed in range(4):
        A = np.random.default_rng(seed).standard_normal((seed + 1, 5))
        solution = solve_lp_max_margin(A, np.ones(len(A)), 1 + 2**-52)
        least = scipy.optimize.linprog(np.ones(10), -np.hstack([A, -A]), -np.ones(len(A))).fun
        assert np.abs(solution.weights).sum() == pytest.approx(least, rel=1e-6)


REFUSALS = [
    *((partial(solve_lp_max_margin, np.ones((1, 2)), np.ones(1), p), "need 1 < p <= 10")
      for p in (1, 0.5, -3, 10.5, np.inf, np.nan)),
    *((partial(solve_lp_max_margins, np.ones((1, 1, 2)), np.ones(1), [2.0, p]), "need 1 < p <= 10")
      for p in (1, 10.5, np.nan)),
    (partial(solve_lp_max_margin, np.full((1, 2), np.nan), np.ones(1), 3), "must be finite"),
    (partial(lp_attention_svm, JOINT_KEYS, np.array([0, 3]), 3), "need one token index"),
    (partial(lp_label_svm, np.ones(5), np.ones(2), 3.0), r"features: need an array \(n, d\)"),
]  # fmt: skip


def test_programs_without_meaning_are_refused():
    assert_refused(REFUSALS)


@some
@given(x=st.floats(-100, 100), p=st.floats(1.05, 10))
def test_mirror_map_has_inverse_and_norm_is_exact_for_large_powers(x, p):
    x = np.array([x if abs(x) > 1e-5 else 0.0])
    np.testing.assert_allclose(mirror_image(mirror_image(x, p), conjugate(p)), x, rtol=1e-9)
    large = np.array([3e200, -4e200, 0.0])
    assert (lp_norm(large, 2), lp_norm(large, 1000)) == pytest.approx((5e200, 4e200))
    assert lp_norm(np.zeros(3), p) == lp_norm(np.zeros(0), p) == 0


@pytest.mark.usefixtures("method")
@pytest.mark.parametrize("p", [1.75, 2, 3])
@pytest.mark.parametrize("kind", [LpAttentionSVM, LpLabelSVM])
def test_batch_is_tabulated(kind, p):
    problem, reference = RandomSphere(trials=4, n=3, T=4, d=20, seed=0).build(), kind(exponent=p)
    table = tabulate(problem, reference)
    assert table["feasible"].all()
    assert table["weights"].shape == table["direction"].shape == (4, problem.keys.shape[-1])
    np.testing.assert_allclose(table["norm"], np.linalg.norm(table["weights"], p, axis=-1), rtol=1e-12)
    np.testing.assert_allclose(table["objective"], table["norm"] ** 2 / 2, rtol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(table["direction"], axis=-1), 1, rtol=1e-12)
    np.testing.assert_allclose(table["smallest_margin"], 1, rtol=1e-9)
    np.testing.assert_allclose(table["duals"].reshape(4, -1).sum(-1), table["norm"] ** 2, rtol=1e-9)
    np.testing.assert_array_equal(table["support"], table["duals"] > 1e-6 * table["duals"].reshape(4, -1).max(-1).max())
    assert np.abs([table["gap"], table["residual"]]).max() <= 1e-9
    for k in range(4):
        one = reference.solve(problem, k)
        assert one.exponent == p
        if kind is LpAttentionSVM:
            shortest = attention_svm(problem.keys[k], problem.optimal[k])
            assert (one.norm == shortest.norm) if p == 2 else (one.norm < np.linalg.norm(shortest.weights, p))
            assert np.nansum(one.neighbors()) > 0
            np.testing.assert_array_equal(table["selected"][k], problem.optimal[k])
    empty = tabulate(problem, reference, np.zeros(4, bool))
    assert {name: (array.shape, array.dtype) for name, array in empty.items()} == {
        name: (array.shape, array.dtype) for name, array in table.items()
    }


def test_listed_selection_is_separated():
    problem = SimpleNamespace(keys=JOINT_KEYS[None], tokens=JOINT[None], optimal=np.zeros((1, 2), int))
    solution = LpAttentionSVM(exponent=3, select=(1, 0)).solve(problem, 0)
    assert solution.selected.tolist() == [1, 0]
    assert np.isnan(solution.margins).tolist() == [[False, True, False], [True, False, False]]
    assert np.nanmin(solution.margins) == pytest.approx(1)
    assert isinstance(lp_attention_svm(np.ones((2, 3, 2)), np.array([0, 1]), 3), Infeasible)
    assert isinstance(lp_label_svm(np.ones((2, 2)), np.array([1.0, -1.0]), 3), Infeasible)


# Newton's method in batches.
BATCH_EXPONENTS = (1.1, 1.75, 2.0, 3.0, 5.0)


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
        conic = [[solve_lp_max_margin(A, b, p) for A in batch] for p in BATCH_EXPONENTS]
    monkeypatch.setattr(lp_max_margin, "_solve_by_cones", refuse)
    for p, expected, found in zip(BATCH_EXPONENTS, conic, solve_lp_max_margins(batch, b, BATCH_EXPONENTS), strict=True):
        assert sum(solution is not None for solution in found) >= 11, p
        for one, other in zip(expected, found, strict=True):
            if other is not None:
                # |g|^(1/4), p = 5, turns rounding into more.
                np.testing.assert_allclose(other.direction, one.direction, rtol=0, atol=1e-10 if p <= 3 else 1e-5)
                assert other.norm == pytest.approx(one.norm, rel=1e-11)
                assert other.exponent == p


@pytest.mark.parametrize("p", BATCH_EXPONENTS)
def test_program_has_same_bits_alone_and_beside_one_without_solution(batch, p):
    mixed = batch.copy()
    mixed[3, 1] = -mixed[3, 0]
    (found,) = solve_lp_max_margins(mixed, np.ones(8), [p])
    assert isinstance(found[3], Infeasible)
    for k in set(range(12)) - {3}:
        assert (found[k].weights == solve_lp_max_margin(batch[k], np.ones(8), p).weights).all()


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
