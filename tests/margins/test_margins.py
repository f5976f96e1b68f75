"""The max-margin programs: against another solver, against hand-solved cases, and their certificates by definition."""

import itertools
import json
import subprocess
import sys
from fractions import Fraction
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import clarabel
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from scipy import sparse

import attention_dynamics
from attention_dynamics.margins import max_margin
from attention_dynamics.margins.attention_svm import AttentionSVM, attention_svm
from attention_dynamics.margins.label_svm import LabelSVM, label_svm, sklearn_direction
from attention_dynamics.margins.lp_attention_svm import LpAttentionSVM
from attention_dynamics.margins.lp_label_svm import LpLabelSVM
from attention_dynamics.margins.lp_max_margin import solve_lp_max_margin
from attention_dynamics.margins.max_margin import Infeasible, SolverError, solve_max_margin
from attention_dynamics.margins.reference import QUANTITIES, Reference
from attention_dynamics.margins.references import solve_references, tabulate
from attention_dynamics.margins.relaxed_svm import RelaxedSVM, relaxed_svm
from attention_dynamics.problems.labelled_tokens import LabelledTokens
from attention_dynamics.problems.random_sphere import RandomSphere
from attention_dynamics.registry import kinds
from conftest import ROOT

FIG1C_TOKENS = ROOT / "tests/data/fig1c_tokens.json"
FIG1 = [[[-0.1, 1], [1, 0], [0, 0]]]
FIG3A = [[[1, 1], [0, 0]], [[1, -1], [0, 0]], [[0.5, 1], [0, 0]]]
FIG3B = [[[1, 1], [0, 0]], [[1, -1], [0, 0]], [[0.5, 1.5], [0, 0]]]
FIG3_LABELS = [1, -1, 1]
FIG8 = [[[0, 1], [0, 0]], [[1.5, -0.5], [0.5, 1.5]]]
INSTANCES = 150

some = settings(deadline=None, max_examples=40, derandomize=True)
seeds = st.integers(0, 10**6)


def pairs(keys, selected) -> np.ndarray:
    """Return the rows k_selected - k_t for t != selected, input by input."""
    return np.array([K[a] - K[t] for K, a in zip(keys, selected, strict=True) for t in range(len(K)) if t != a])


def clarabel_answer(A, b) -> np.ndarray | None:
    """argmin |w|^2 / 2 subject to A w >= b, or None where there is no such w."""
    # With rows no longer than one, |w| is at least one and absolute tolerances are as good as relative ones.
    scale = np.linalg.norm(A, axis=1).max()
    options = clarabel.DefaultSettings()
    options.verbose = False
    for tolerance in ("tol_gap_abs", "tol_gap_rel", "tol_feas", "tol_infeas_abs", "tol_infeas_rel"):
        setattr(options, tolerance, 1e-12)
    d, cone = A.shape[1], [clarabel.NonnegativeConeT(len(b))]
    program = (sparse.eye(d, format="csc"), np.zeros(d), sparse.csc_matrix(-A / scale), -b, cone)
    answer = clarabel.DefaultSolver(*program, options).solve()
    if str(answer.status) == "PrimalInfeasible":
        return None
    assert str(answer.status) == "Solved"
    return np.array(answer.x) / scale


def random_instance(kind, rng) -> SimpleNamespace:
    """Return a program A w >= b, the library's answer to it, and where the answer's multipliers are."""
    n, T = int(rng.integers(1, 7)), int(rng.integers(2, 9))
    d = int(rng.choice([2, 2, 3, 3, 4, 5, 6, 10, 20, 100, 600]))
    if kind == "label_svm":
        features, labels = rng.standard_normal((n + T, d)), rng.choice([-1.0, 1.0], n + T)
        A, b, answer = labels[:, None] * features, np.ones(n + T), label_svm(features, labels)
        return SimpleNamespace(A=A, b=b, answer=answer, others=slice(None))
    keys, selected = rng.standard_normal((n, T, d)), rng.integers(0, T, n)
    others = np.arange(T) != selected[:, None]
    if kind == "attention_svm":
        required, answer = np.ones(n), attention_svm(keys, selected)
    else:
        supporting = rng.random(n) < 0.5
        supporting[rng.integers(n)] = True
        required, answer = supporting.astype(float), relaxed_svm(keys, selected, supporting)
    return SimpleNamespace(A=pairs(keys, selected), b=np.repeat(required, T - 1), answer=answer, others=others)


@pytest.fixture(scope="module", params=["attention_svm", "relaxed_svm", "label_svm"])
def instances(request):
    rng = np.random.default_rng(0)
    return [random_instance(request.param, rng) for _ in range(INSTANCES)]


def feasible_instances(instances):
    """Feasible instances with their multipliers; there are enough of them to mean something."""
    found = [one for one in instances if not isinstance(one.answer, Infeasible)]
    assert len(found) > INSTANCES / 4
    return [(one, one.answer.duals[one.others]) for one in found]


def infeasible_instances(instances):
    """Return the infeasible programs, and their certificates."""
    found = [one for one in instances if isinstance(one.answer, Infeasible)]
    assert len(found) > INSTANCES / 4
    return [(one, one.answer.certificate[one.others]) for one in found]


def test_verdict_and_weights_agree_with_other_solver(instances):
    for one, _ in feasible_instances(instances):
        weights = clarabel_answer(one.A, one.b)
        assert weights is not None
        assert np.linalg.norm(one.answer.weights - weights) <= 1e-7 * np.linalg.norm(weights)
    for one, _ in infeasible_instances(instances):
        assert clarabel_answer(one.A, one.b) is None


def test_solutions_meet_optimality_conditions(instances):
    for one, duals in feasible_instances(instances):
        w = one.answer.weights
        assert abs(one.answer.gap) <= 1e-8
        assert one.answer.residual <= 1e-8
        assert duals.min() >= 0
        assert np.linalg.norm(w - one.A.T @ duals) <= 1e-8 * one.answer.norm
        assert (one.A @ w - one.b).min() >= -1e-8
        assert np.abs(duals * (one.A @ w - one.b)).max() <= 1e-8 * one.answer.norm**2
        assert abs(one.b @ duals - w @ w) <= 1e-8 * (w @ w)
        np.testing.assert_allclose(one.answer.margins[one.others], one.A @ w, atol=1e-12)


def test_infeasibility_has_farkas_certificate(instances):
    for one, certificate in infeasible_instances(instances):
        assert one.answer.residual <= 1e-8
        assert certificate.min() >= 0
        assert np.linalg.norm(one.A.T @ certificate) <= 1e-8
        assert abs(one.b @ certificate - 1) <= 1e-12


def test_multipliers_have_axes_inputs_and_tokens():
    solution = attention_svm(np.array(FIG8), np.array([0, 1]))
    np.testing.assert_allclose(solution.duals, [[0, 1], [0, 0]], atol=1e-12)
    np.testing.assert_allclose(solution.margins, [[np.nan, 1], [2, np.nan]])
    assert solution.neighbors().tolist() == [[False, True], [False, False]]
    opposite = attention_svm(np.array([[[0, 1], [0, 0]], [[0, 0], [0, 1.0]]]), np.array([0, 0]))
    np.testing.assert_allclose(opposite.certificate, [[0, 0.5], [0, 0.5]])


@pytest.mark.parametrize(
    ("keys", "selected", "weights", "margins"),
    [
        (FIG1, [0], [-0.1 / 1.01, 1 / 1.01], [1.11 / 1.01, 1]),
        (FIG1, [1], [1, 0], [1.1, 1]),
        (FIG1, [2], [-1, -1.1], [1, 1]),
        (FIG3A, [0, 0, 0], [4 / 3, 1 / 3], [5 / 3, 1, 1]),
        (FIG3B, [0, 0, 0], [1.25, 0.25], [1.5, 1, 1]),
        (FIG8, [0, 0], [3, 1], [1, 1]),
        (FIG8, [0, 1], [0, 1], [1, 2]),
    ],
    ids=["1a gmm", "1a lmm", "1b last token", "3a", "3b", "8 gmm", "8 lmm"],
)
def test_attention_svm_matches_hand_solution(keys, selected, weights, margins):
    solution = attention_svm(np.array(keys), np.array(selected))
    np.testing.assert_allclose(solution.weights, weights, atol=1e-12)
    np.testing.assert_allclose(solution.margins[np.isfinite(solution.margins)], margins, rtol=1e-12)


def test_objectives_match_published_notebooks():
    assert attention_svm(np.array(FIG1), np.array([0])).objective == pytest.approx(0.49505, abs=1e-5)
    assert attention_svm(np.array(FIG3A), np.zeros(3, dtype=int)).objective == pytest.approx(0.94444, abs=1e-5)


def test_attention_svm_matches_published_tokens_of_fig_1c():
    keys = np.array(json.loads(FIG1C_TOKENS.read_text()))[..., :2]
    solution = attention_svm(keys, np.zeros(3, dtype=int))
    np.testing.assert_allclose(solution.direction, [0.98009, 0.19857], atol=1e-5)
    assert solution.norm == pytest.approx(0.86179, abs=1e-5)
    assert np.argwhere(solution.neighbors()).tolist() == [[0, 6], [1, 5]]
    np.testing.assert_allclose(np.sort(solution.margins.ravel())[2:4], [1.007, 1.060], atol=1e-3)


def test_label_and_relaxed_svm_match_hand_solution_of_fig_3():
    for keys, tight, weights in ((FIG3A, [1, 1, 1], [4 / 3, 1 / 3]), (FIG3B, [1, 1, 0], [1, 0])):
        head = label_svm(np.array(keys)[:, 0], np.array(FIG3_LABELS))
        np.testing.assert_allclose(head.weights, [0, 1], atol=1e-12)
        assert head.tight.tolist() == tight
        solution = relaxed_svm(np.array(keys), np.zeros(3, dtype=int), head.tight)
        np.testing.assert_allclose(solution.weights, weights, atol=1e-12)


def labelled(tokens, labels):
    return LabelledTokens(inputs=[{"tokens": t, "label": y} for t, y in zip(tokens, labels, strict=True)]).build()


def test_references_solve_programs_of_problem():
    problem = labelled(FIG3B, FIG3_LABELS)
    np.testing.assert_allclose(RelaxedSVM().solve(problem, 0).weights, [1, 0], atol=1e-12)
    np.testing.assert_allclose(AttentionSVM().solve(problem, 0).weights, [1.25, 0.25], atol=1e-12)
    listed = AttentionSVM(select=(0, 0, 1)).solve(problem, 0)
    np.testing.assert_allclose(listed.weights, [2.5, -1.5], atol=1e-12)
    assert listed.selected.tolist() == [0, 0, 1]


def test_label_svm_agrees_with_scikit_learn():
    rng = np.random.default_rng(1)
    for d in (2, 3, 5, 20, 200):
        features, teacher = rng.standard_normal((12, d)), rng.standard_normal(d)
        labels = np.sign(features @ teacher)
        assert label_svm(features, labels).direction @ sklearn_direction(features, labels) >= 1 - 1e-8


@pytest.mark.parametrize("scale", [1e-150, 1e-20, 1e-4, 1e4, 1e150])
def test_label_svm_scales_inversely_with_features(scale):
    rng = np.random.default_rng(2)
    features = rng.standard_normal((12, 5))
    labels = np.sign(features @ rng.standard_normal(5))
    one, scaled = label_svm(features, labels), label_svm(scale * features, labels)
    np.testing.assert_allclose(scaled.weights * scale, one.weights, rtol=1e-9)
    assert (scaled.norm * scale, scaled.objective * scale * scale) == pytest.approx((one.norm, one.objective))
    assert one.direction @ scaled.direction >= 1 - 1e-12
    assert scaled.direction @ sklearn_direction(scale * features, labels) >= 1 - 1e-8


def test_label_svm_of_single_class_matches_scikit_learn():
    features, labels = np.array([[2.0, 0.0], [1.0, 1.0]]), np.ones(2)
    solution = label_svm(features, labels)
    np.testing.assert_allclose(solution.weights, [0.5, 0.5], atol=1e-12)
    assert solution.direction @ sklearn_direction(features, labels) >= 1 - 1e-8


def test_label_svm_reference_is_compared_with_scikit_learn():
    problem = labelled(FIG3B, FIG3_LABELS)
    assert LabelSVM().solve(problem, 0).sklearn_cosine == pytest.approx(1, abs=1e-8)
    assert np.isnan(label_svm(np.array(FIG3B)[:, 0], np.array(FIG3_LABELS)).sklearn_cosine)


@some
@given(seed=seeds, noise=st.sampled_from([0.0, 1e-14, 1e-12, 1e-10, 1e-9]))
def test_nearly_equal_constraints_barely_change_solution(seed, noise):
    rng = np.random.default_rng(seed)
    keys, selected = rng.standard_normal((3, 4, 9)), np.zeros(3, dtype=int)
    twice = np.concatenate([keys, keys[:, 1:] + noise * rng.standard_normal((3, 3, 9))], axis=1)
    once, again = attention_svm(keys, selected), attention_svm(twice, selected)
    np.testing.assert_allclose(again.weights, once.weights, atol=1e-7 * once.norm)
    assert max(abs(again.gap), again.residual) <= 1e-8


@pytest.mark.parametrize("margin", [1e-1, 1e-2, 1e-3, 1e-4, 1e-5])
def test_thin_margin_is_found(margin):
    rng = np.random.default_rng(2)
    for _ in range(10):
        # Two nearly opposite constraints leave (1 / margin, 0); the third is met with room to spare.
        rows = np.array([[margin, rng.uniform(0.5, 2)], [margin, -rng.uniform(0.5, 2)], [1.0, 0.0]])
        rotation = np.linalg.qr(rng.standard_normal((2, 2)))[0]
        solution = solve_max_margin(rows @ rotation.T, np.ones(3))
        np.testing.assert_allclose(solution.weights, rotation[:, 0] / margin, atol=1e-7 / margin)
        assert max(abs(solution.gap), solution.residual) <= 1e-8


def test_random_program_with_thin_margin_is_certified():
    rows = np.array([[-0.1303284651844181, -1.8681144045794507], [0.09161371854100264, 1.3198332107055004]])
    solution = solve_max_margin(rows, np.ones(2))
    np.testing.assert_allclose(solution.weights, np.linalg.solve(rows, np.ones(2)), rtol=1e-8)


def test_many_constraints_through_one_point_are_certified():
    angles = np.linspace(-1.2, 1.2, 25)
    rows = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    solution = solve_max_margin(rows, rows @ [2.0, 0.5] * (rows @ [2.0, 0.5] > 0))
    assert max(abs(solution.gap), solution.residual) <= 1e-8
    np.testing.assert_allclose(solution.weights, [2.0, 0.5], atol=1e-9)


def separable(rng, m, d, margin) -> np.ndarray:
    """Rows with a'u >= margin / 2 for a unit vector u, and no direction with much more."""
    u = rng.standard_normal(d)
    u /= np.linalg.norm(u)
    rows = rng.standard_normal((m, d))
    return rows - np.outer(rows @ u, u) + margin * np.outer(rng.uniform(0.5, 1, m), u)


@pytest.mark.parametrize(("m", "d"), [(1500, 3), (300, 10), (25, 25), (5, 2000)])
@pytest.mark.parametrize("repeated", [False, True])
def test_many_constraints_in_many_dimensions_are_certified(m, d, repeated):
    rng = np.random.default_rng(0)
    for _ in range(5):
        rows = separable(rng, m, d, 0.1)
        if repeated:
            rows = np.concatenate([rows, rows, 2 * rows])
        solution = solve_max_margin(rows, np.ones(len(rows)))
        assert max(abs(solution.gap), solution.residual) <= 1e-12
        weights = clarabel_answer(rows, np.ones(len(rows)))
        np.testing.assert_allclose(solution.weights, weights, atol=1e-7 * solution.norm)


@pytest.mark.parametrize("margin", [1e-5, 1e-6, 1e-10, 1e-12, 0.0])
def test_nearly_infeasible_programs_have_one_certificate(margin):
    rng = np.random.default_rng(0)
    for _ in range(20):
        answer = solve_max_margin(separable(rng, 30, 5, margin), np.ones(30))
        assert isinstance(answer, Infeasible) == (margin < 1e-9)
        assert answer.residual <= 1e-8


@pytest.mark.parametrize("gives_up", ["_least_distance", "_cvxopt_active_set"])
def test_single_solver_certifies_feasible_program(monkeypatch, gives_up):
    rng = np.random.default_rng(0)
    programs = [separable(rng, 20, 8, 0.2) for _ in range(20)]
    expected = [solve_max_margin(rows, np.ones(20)).weights for rows in programs]
    monkeypatch.setattr(
        max_margin, gives_up, lambda A, b: np.zeros(len(A) if gives_up == "_least_distance" else 0, int)
    )
    for rows, weights in zip(programs, expected, strict=True):
        np.testing.assert_allclose(solve_max_margin(rows, np.ones(20)).weights, weights, rtol=1e-9)


def test_failing_solvers_do_not_mean_infeasible(monkeypatch):
    monkeypatch.setattr(max_margin, "_least_distance", lambda A, b: np.zeros(len(A)))
    monkeypatch.setattr(max_margin, "_cvxopt_active_set", lambda A, b: np.zeros(0, int))
    with pytest.raises(SolverError, match=r"3 constraints in R\^2: no certified answer"):
        solve_max_margin(np.ones((3, 2)), np.ones(3))


def test_duplicate_of_selected_token_is_infeasible():
    keys = np.array([[[1.0, 2.0], [0.0, 0.0], [1.0, 2.0]]])
    assert isinstance(attention_svm(keys, np.array([0])), Infeasible)
    assert isinstance(attention_svm(keys, np.array([2])), Infeasible)
    assert not isinstance(attention_svm(keys, np.array([1])), Infeasible)


def test_coinciding_tokens_are_infeasible():
    assert isinstance(attention_svm(np.ones((2, 3, 2)), np.array([0, 1])), Infeasible)


@some
@given(seed=seeds, exponent=st.floats(-6, 6), d=st.integers(2, 12))
def test_solution_scales_inversely_with_keys(seed, exponent, d):
    rng = np.random.default_rng(seed)
    keys, selected, factor = rng.standard_normal((3, 4, d)), rng.integers(0, 4, 3), 10.0**exponent
    one, scaled = attention_svm(keys, selected), attention_svm(factor * keys, selected)
    assert isinstance(one, Infeasible) == isinstance(scaled, Infeasible)
    if not isinstance(one, Infeasible):
        np.testing.assert_allclose(factor * scaled.weights, one.weights, atol=1e-8 * one.norm)


@some
@given(seed=seeds, d=st.integers(2, 12))
def test_solution_rotates_with_keys(seed, d):
    rng = np.random.default_rng(seed)
    keys, selected = rng.standard_normal((3, 4, d)), rng.integers(0, 4, 3)
    rotation = np.linalg.qr(rng.standard_normal((d, d)))[0]
    one, turned = attention_svm(keys, selected), attention_svm(keys @ rotation.T, selected)
    assert isinstance(one, Infeasible) == isinstance(turned, Infeasible)
    if not isinstance(one, Infeasible):
        np.testing.assert_allclose(turned.weights, rotation @ one.weights, atol=1e-8 * one.norm)


def exact_answer(A, b) -> list[Fraction] | None:
    """argmin |w|^2 / 2 subject to A w >= b in rational numbers: the active set whose multipliers are positive."""
    A, b = [[Fraction(x) for x in row] for row in A.tolist()], [Fraction(x) for x in b.tolist()]
    for size in range(1, min(len(A), len(A[0])) + 1):
        for active in itertools.combinations(range(len(A)), size):
            rows = [A[i] for i in active]
            y = solve_equations([[dot(one, other) for other in rows] for one in rows], [b[i] for i in active])
            if y and min(y) >= 0:
                w = [dot(y, column) for column in zip(*rows, strict=True)]
                if all(dot(row, w) >= least for row, least in zip(A, b, strict=True)):
                    return w
    return None


def dot(one, other) -> Fraction:
    return sum((x * y for x, y in zip(one, other, strict=True)), Fraction(0))


def solve_equations(system, right) -> list[Fraction] | None:
    """Gauss-Jordan elimination of a Gram matrix, which needs no pivoting unless it is singular."""
    table = [[*row, value] for row, value in zip(system, right, strict=True)]
    for k in range(len(table)):
        if not table[k][k]:
            return None
        table[k] = [x / table[k][k] for x in table[k]]
        for i in set(range(len(table))) - {k}:
            table[i] = [x - table[i][k] * y for x, y in zip(table[i], table[k], strict=True)]
    return [row[-1] for row in table]


@pytest.mark.parametrize(
    ("low", "high", "own"), [(-300, 300, False), (-13, -13, False), (-13, 0, True)], ids=["any", "1e-13", "mixed"]
)
def test_answers_agree_with_rational_arithmetic(low, high, own):
    rng, found = np.random.default_rng(5), []
    for _ in range(100):
        m, d = rng.integers(1, 6), rng.integers(1, 4)
        A = rng.standard_normal((m, d))
        b = rng.uniform(0.2, 1, m) * 10.0 ** rng.uniform(low, high, m if own else 1)
        exact, answer = exact_answer(A, b), solve_max_margin(A, b)
        assert isinstance(answer, Infeasible) == (exact is None)
        found.append(exact is not None)
        if exact:
            errors = [abs(Fraction(x) - y) for x, y in zip(answer.weights.tolist(), exact, strict=True)]
            assert max(errors) <= Fraction(1e-12) * max(map(abs, exact))
    assert 50 < sum(found) < 95


@pytest.mark.parametrize("p", [1.75, 2, 3])
@pytest.mark.parametrize(("of_A", "of_b"), [(300, 0), (-490, 0), (0, -990), (480, 960), (-10, 990)])
def test_powers_of_two_change_no_bit(p, of_A, of_b):
    rng = np.random.default_rng(3)
    A, b = rng.standard_normal((4, 6)), np.array([1.0, 1.0, 0.0, 0.25])
    one, scaled = solve_lp_max_margin(A, b, p), solve_lp_max_margin(np.ldexp(A, of_A), np.ldexp(b, of_b), p)
    np.testing.assert_array_equal(scaled.weights, np.ldexp(one.weights, of_b - of_A))
    np.testing.assert_array_equal(scaled.duals, np.ldexp(one.duals, of_b - 2 * of_A))
    np.testing.assert_array_equal(scaled.margins, np.ldexp(one.margins, of_b))
    np.testing.assert_array_equal(scaled.direction, one.direction)
    assert (scaled.gap, scaled.residual) == (one.gap, one.residual)
    assert scaled.norm == pytest.approx(np.ldexp(one.norm, of_b - of_A), rel=1e-12)
    assert scaled.objective == (np.inf if of_b - of_A > 512 else pytest.approx(scaled.norm * scaled.norm / 2))


@pytest.mark.parametrize(
    ("A", "b", "message"),
    [
        (np.eye(2), [1e300, 1], "those that are not 0 must be at least 1e-15 of the largest"),
        (1e-200 * np.eye(2), [1, 1], "beyond the floating-point range; rescale the constraints"),
        (1e200 * np.eye(2), [1, 1], "beyond the floating-point range; rescale the constraints"),
        (1e200 * np.eye(2), [1e-200, 1e-200], "beyond the floating-point range; rescale the constraints"),
    ],
)
def test_program_beyond_floating_point_range_is_refused(A, b, message):
    for solve in (solve_max_margin, partial(solve_lp_max_margin, exponent=3)):
        with pytest.raises(ValueError, match=message):
            solve(A, np.array(b))


KEYS = np.arange(12.0).reshape(2, 3, 2)


@pytest.mark.parametrize(
    "call",
    [
        partial(attention_svm, KEYS, np.array([0])),
        partial(attention_svm, KEYS, np.array([0, 0, 0])),
        partial(attention_svm, KEYS, np.array([[0, 0]])),
        partial(attention_svm, KEYS, np.array([0, 3])),
        partial(attention_svm, KEYS, np.array([-1, 0])),
        partial(attention_svm, KEYS[0], np.array([0, 0])),
        partial(attention_svm, KEYS[:, :1], np.array([0, 0])),
        partial(attention_svm, np.where(KEYS == 3, np.nan, KEYS), np.array([0, 0])),
        partial(attention_svm, np.where(KEYS == 3, np.inf, KEYS), np.array([0, 0])),
        partial(relaxed_svm, KEYS, np.array([0, 0]), np.array([True, False, True])),
        partial(relaxed_svm, KEYS, np.array([0, 0]), np.array([False, False])),
        partial(label_svm, KEYS[0], np.array([1.0, -1.0])),
        partial(solve_max_margin, KEYS, np.ones(2)),
        partial(solve_max_margin, KEYS[0], np.ones(2)),
        partial(solve_max_margin, KEYS[0], np.array([1.0, np.nan, 1.0])),
        partial(solve_max_margin, KEYS[0], np.array([1.0, -1.0, 1.0])),
        partial(solve_max_margin, KEYS[0], np.zeros(3)),
        partial(solve_max_margin, np.zeros((0, 2)), np.zeros(0)),
    ],
)
def test_invalid_program_is_refused(call):
    with pytest.raises(
        ValueError, match=r"need one token|finite|required|need an array|no token to separate|one number"
    ):
        call()


REFERENCES = {
    "attention_svm": ("p", True),
    "label_svm": ("v", True),
    "lp_attention_svm": ("p", True),
    "lp_label_svm": ("v", True),
    "near_tied_svm": ("p", True),
    "relaxed_svm": ("p", False),
    "tied_svm": ("p", False),
}


def test_reference_kinds_are_names_of_their_modules():
    assert kinds(Reference) == list(REFERENCES)
    for kind, (parameter, follows_selection) in REFERENCES.items():
        exponent = {"exponent": 3.0} if kind.startswith("lp_") else {}
        reference = Reference.of({"kind": kind, **exponent, "select": [0, 1]})
        assert (reference.kind, type(reference).__module__) == (kind, f"attention_dynamics.margins.{kind}")
        assert (reference.parameter, reference.follows_selection) == (parameter, follows_selection)
        assert reference.select == (0, 1)
        assert Reference.of(reference.model_dump(mode="json")) == reference


@pytest.mark.parametrize("select", [[], [-1], "best", [0.5], [[0]]])
def test_reference_refuses_invalid_selection(select):
    with pytest.raises(ValidationError, match="select"):
        AttentionSVM(select=select)


@pytest.mark.parametrize(
    "kind", [AttentionSVM, LabelSVM, RelaxedSVM, partial(LpAttentionSVM, exponent=3), partial(LpLabelSVM, exponent=3)]
)
@pytest.mark.parametrize("select", [(0, 0), (0, 0, 2)])
def test_reference_refuses_selection_of_other_problem(kind, select):
    with pytest.raises(ValueError, match=r"select: need one token index in \[0, 2\) for each of 3 inputs"):
        kind(select=select).solve(labelled(FIG3B, FIG3_LABELS), 0)


def test_references_of_problem_are_named_arrays():
    problem = labelled(FIG3B, FIG3_LABELS)
    arrays = solve_references(problem, {"gmm": AttentionSVM(), "head": LabelSVM()})
    assert str(arrays["references/gmm/parameter"]) == "p"
    assert str(arrays["references/head/parameter"]) == "v"
    np.testing.assert_allclose(arrays["references/gmm/weights"], [[1.25, 0.25]], atol=1e-12)
    assert {name.split("/")[2] for name in arrays} <= {*QUANTITIES, "parameter"}
    with pytest.raises(ValueError, match="reference lost: select: need one token index"):
        solve_references(problem, {"lost": AttentionSVM(select=(0, 0))})


def test_batch_keeps_infeasible_problems_in_place():
    problem = RandomSphere(trials=8, n=3, T=4, d=3, seed=0).build()
    table = tabulate(problem, AttentionSVM())
    assert set(table["feasible"].tolist()) == {True, False}
    for k, feasible in enumerate(table["feasible"]):
        answer = AttentionSVM().solve(problem, k)
        assert isinstance(answer, Infeasible) != feasible
        assert np.isnan(table["infeasibility"][k]) == feasible
        expected = answer.direction if feasible else np.full(3, np.nan)
        np.testing.assert_array_equal(table["direction"][k], expected)
        np.testing.assert_array_equal(table["selected"][k], problem.optimal[k] if feasible else [-1, -1, -1])
        assert feasible or not table["locally_optimal"][k]


def test_problem_without_certificate_is_named():
    class Unsolved(AttentionSVM):
        def solve(self, problem, index):
            if index == 2:
                raise SolverError("no certified answer")
            return super().solve(problem, index)

    with pytest.raises(SolverError, match=r"^problem 2: no certified answer$"):
        tabulate(RandomSphere(trials=3, n=3, T=4, d=8, seed=0).build(), Unsolved())


def test_batch_without_any_feasible_problem_is_refused():
    with pytest.raises(ValueError, match="infeasible for every problem"):
        tabulate(labelled([[[1, 1], [1, 1]]], [1]), AttentionSVM())


HEAVY = {"cvxpy", "matplotlib", "numba", "pandas", "seaborn", "sklearn", "torch"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("package", "unwanted"),
    [("margins", HEAVY | {"scipy.linalg", "scipy.optimize", "scipy.special"}), ("measures", HEAVY)],
)
def test_components_are_imported_without_heavy_packages(package, unwanted):
    code = (
        "import importlib, pkgutil, sys\n"
        f"package = importlib.import_module('attention_dynamics.{package}')\n"
        "for module in pkgutil.iter_modules(package.__path__, package.__name__ + '.'):\n"
        "    importlib.import_module(module.name)\n"
        "print(*sys.modules)\n"
    )
    environment = {"PYTHONPATH": str(Path(attention_dynamics.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True)
    assert unwanted & set(done.stdout.split()) == set()
