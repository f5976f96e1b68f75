"""The max-margin programs: against another solver, against hand-solved cases, and their certificates by definition."""

import itertools
import json
from fractions import Fraction
from functools import partial
from types import SimpleNamespace

import clarabel
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

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
from attention_dynamics.problems.nearly_orthogonal import NearlyOrthogonal
from attention_dynamics.problems.random_sphere import RandomSphere
from attention_dynamics.registry import kinds
from conftest import ROOT
from helpers.planar_problems import PROBLEMS, SOLUTIONS, labelled
from helpers.refusals import assert_refused

FIG1C_TOKENS = ROOT / "tests/data/fig1c_tokens.json"
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
    solution = AttentionSVM(select=(0, 1)).solve(PROBLEMS["8"], 0)
    np.testing.assert_allclose(solution.duals, [[0, 1], [0, 0]], atol=1e-12)
    np.testing.assert_allclose(solution.margins, [[np.nan, 1], [2, np.nan]])
    assert solution.neighbors().tolist() == [[False, True], [False, False]]
    opposite = attention_svm(np.array([[[0, 1], [0, 0]], [[0, 0], [0, 1.0]]]), np.array([0, 0]))
    np.testing.assert_allclose(opposite.certificate, [[0, 0.5], [0, 0.5]])


@pytest.mark.parametrize(("name", "selected"), SOLUTIONS)
def test_attention_svm_matches_hand_solution(name, selected):
    weights, margins = SOLUTIONS[name, selected]
    solution = AttentionSVM(select=selected).solve(PROBLEMS[name], 0)
    np.testing.assert_allclose(solution.weights[:2], weights, atol=1e-12)
    np.testing.assert_allclose(solution.margins[np.isfinite(solution.margins)], margins, rtol=1e-12)
    assert solution.selected.tolist() == list(selected)


def separable(rng, m, d, margin) -> np.ndarray:
    """Rows with a'u >= margin / 2 for a unit vector u, and no direction with much more."""
    u = rng.standard_normal(d)
    u /= np.linalg.norm(u)
    rows = rng.standard_normal((m, d))
    return rows - np.outer(rows @ u, u) + margin * np.outer(rng.uniform(0.5, 1, m), u)


def thin(rng, margin):
    """Two nearly opposite constraints leave (1 / margin, 0), turned; the third is met with room to spare."""
    rows = np.array([[margin, rng.uniform(0.5, 2)], [margin, -rng.uniform(0.5, 2)], [1.0, 0.0]])
    rotation = np.linalg.qr(rng.standard_normal((2, 2)))[0]
    return rows @ rotation.T, np.ones(3), rotation[:, 0] / margin


def through_one_point(count):
    angles = np.linspace(-1.2, 1.2, count)
    rows = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    products = rows @ [2.0, 0.5]
    return rows, products * (products > 0), np.array([2.0, 0.5])


def feasible_programs():
    """Programs A w >= b by name, each with its solution in closed form or by another solver, and a tolerance."""
    rng = np.random.default_rng(0)
    for (name, selected), (weights, _) in SOLUTIONS.items():
        A = pairs(PROBLEMS[name].keys[0, ..., :2], selected)
        yield name, A, np.ones(len(A)), np.array(weights), 1e-12
    for margin in (1e-1, 1e-2, 1e-3, 1e-4, 1e-5):
        for _ in range(10):
            yield f"thin {margin}", *thin(rng, margin), 1e-7
    rows = np.array([[-0.1303284651844181, -1.8681144045794507], [0.09161371854100264, 1.3198332107055004]])
    yield "thin by chance", rows, np.ones(2), np.linalg.solve(rows, np.ones(2)), 1e-8
    yield "through one point", *through_one_point(25), 4e-10
    for (m, d), repeated in itertools.product([(1500, 3), (300, 10), (25, 25), (5, 2000)], [False, True]):
        rows = separable(rng, m, d, 0.1)
        rows = np.concatenate([rows, rows, 2 * rows]) if repeated else rows
        yield f"{m} in R^{d}", rows, np.ones(len(rows)), clarabel_answer(rows, np.ones(len(rows))), 1e-7
    for _ in range(5):
        rows = separable(rng, 20, 8, 0.2)
        yield "separable", rows, np.ones(20), clarabel_answer(rows, np.ones(20)), 1e-7
    problem = NearlyOrthogonal(seeds=[1], n=5, T=4, d=20).build()
    rows = pairs(problem.keys[0], problem.optimal[0])
    yield "outer products", rows, np.ones(len(rows)), clarabel_answer(rows, np.ones(len(rows))), 2e-7


GIVING_UP = {"_least_distance": lambda A, b: np.zeros(len(A)), "_cvxopt_active_set": lambda A, b: np.zeros(0, int)}


@pytest.fixture(scope="module")
def programs():
    return list(feasible_programs())


@pytest.mark.parametrize("gives_up", [None, *GIVING_UP])
def test_programs_are_solved_by_both_solvers_together_and_by_each_alone(programs, monkeypatch, gives_up):
    together = [solve_max_margin(A, b) for _, A, b, _, _ in programs]
    if gives_up:
        monkeypatch.setattr(max_margin, gives_up, GIVING_UP[gives_up])
    for (name, A, b, weights, tolerance), both in zip(programs, together, strict=True):
        solution = solve_max_margin(A, b)
        np.testing.assert_allclose(solution.weights, both.weights, rtol=1e-9, atol=1e-12 * both.norm, err_msg=name)
        error = np.linalg.norm(solution.weights - weights)
        assert error <= tolerance * np.linalg.norm(weights), f"{name}: {error}"
        assert solution.error <= (1e-8 if "thin" in name or "point" in name else 1e-12), name


def test_attention_svm_matches_published_numbers():
    keys = np.array(json.loads(FIG1C_TOKENS.read_text()))[..., :2]
    for name, objective in (("1a", 0.49505), ("3a", 0.94444)):
        assert AttentionSVM().solve(PROBLEMS[name], 0).objective == pytest.approx(objective, abs=1e-5)
    solution = attention_svm(keys, np.zeros(3, dtype=int))
    np.testing.assert_allclose(solution.direction, [0.98009, 0.19857], atol=1e-5)
    assert solution.norm == pytest.approx(0.86179, abs=1e-5)
    assert np.argwhere(solution.neighbors()).tolist() == [[0, 6], [1, 5]]
    np.testing.assert_allclose(np.sort(solution.margins.ravel())[2:4], [1.007, 1.060], atol=1e-3)


def test_label_and_relaxed_svm_match_hand_solution_of_fig_3():
    for name, tight, weights in (("3a", [1, 1, 1], [4 / 3, 1 / 3]), ("3b", [1, 1, 0], [1, 0])):
        problem = PROBLEMS[name]
        head = label_svm(problem.tokens[0, :, 0], problem.labels[0])
        np.testing.assert_allclose(head.weights, [0, 1], atol=1e-12)
        assert head.tight.tolist() == tight
        solution = relaxed_svm(problem.keys[0], np.zeros(3, dtype=int), head.tight)
        for one in (solution, RelaxedSVM().solve(problem, 0)):
            np.testing.assert_allclose(one.weights, weights, atol=1e-12)


@pytest.mark.parametrize("scale", [1e-150, 1e-20, 1e-4, 1.0, 1e4, 1e150])
def test_label_svm_agrees_with_scikit_learn_at_every_scale(scale):
    rng = np.random.default_rng(2)
    for d in (2, 3, 5, 20, 200):
        features = rng.standard_normal((12, d))
        labels = np.sign(features @ rng.standard_normal(d))
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
    # Only the reference of a problem is compared.
    assert np.isnan(solution.sklearn_cosine)
    assert LabelSVM().solve(PROBLEMS["3b"], 0).sklearn_cosine == pytest.approx(1, abs=1e-8)


@some
@given(seed=seeds, noise=st.sampled_from([0.0, 1e-14, 1e-12, 1e-10, 1e-9]))
def test_nearly_equal_constraints_barely_change_solution(seed, noise):
    rng = np.random.default_rng(seed)
    keys, selected = rng.standard_normal((3, 4, 9)), np.zeros(3, dtype=int)
    twice = np.concatenate([keys, keys[:, 1:] + noise * rng.standard_normal((3, 3, 9))], axis=1)
    once, again = attention_svm(keys, selected), attention_svm(twice, selected)
    np.testing.assert_allclose(again.weights, once.weights, atol=1e-7 * once.norm)
    assert max(abs(again.gap), again.residual) <= 1e-8


@pytest.mark.parametrize("margin", [1e-5, 1e-6, 1e-10, 1e-12, 0.0])
def test_nearly_infeasible_programs_have_one_certificate(margin):
    rng = np.random.default_rng(0)
    for _ in range(20):
        answer = solve_max_margin(separable(rng, 30, 5, margin), np.ones(30))
        assert isinstance(answer, Infeasible) == (margin < 1e-9)
        assert answer.residual <= 1e-8


def test_failing_solvers_do_not_mean_infeasible(monkeypatch):
    for name, give_up in GIVING_UP.items():
        monkeypatch.setattr(max_margin, name, give_up)
    with pytest.raises(SolverError, match=r"3 constraints in R\^2: no certified answer"):
        solve_max_margin(np.ones((3, 2)), np.ones(3))


def test_selected_token_with_duplicate_is_infeasible():
    keys = np.array([[[1.0, 2.0], [0.0, 0.0], [1.0, 2.0]]])
    feasible = [not isinstance(attention_svm(keys, np.array([t])), Infeasible) for t in range(3)]
    assert feasible == [False, True, False]
    assert isinstance(attention_svm(np.ones((2, 3, 2)), np.array([0, 1])), Infeasible)


def exact_answer(A, b) -> np.ndarray | None:
    """argmin |w|^2 / 2 subject to A w >= b in rational numbers: the active set whose multipliers are positive."""
    A, b = rational(A), rational(b)
    for size in range(1, min(A.shape) + 1):
        for active in map(list, itertools.combinations(range(len(A)), size)):
            y = solve_equations(A[active] @ A[active].T, b[active])
            if y is not None and min(y) >= 0 and (A @ (y @ A[active]) >= b).all():
                return y @ A[active]
    return None


rational = np.vectorize(Fraction, otypes=[object])


def solve_equations(system, right) -> np.ndarray | None:
    """Gauss-Jordan elimination of a Gram matrix, which needs no pivoting unless it is singular."""
    table = np.column_stack([system, right])
    for k in range(len(table)):
        if not table[k, k]:
            return None
        table[k] /= table[k, k]
        for i in set(range(len(table))) - {k}:
            table[i] -= table[i, k] * table[k]
    return table[:, -1]


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
        if exact is not None:
            assert max(abs(rational(answer.weights) - exact)) <= Fraction(1e-12) * max(abs(exact))
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


KEYS = np.arange(12.0).reshape(2, 3, 2)
FIRST, ROWS, FIG3B = np.array([0, 0]), KEYS[0], PROBLEMS["3b"]
BEYOND = "beyond the floating-point range; rescale the constraints"
REFUSALS = [
    *((partial(attention_svm, KEYS, np.array(selected)), "need one token index|selected: need an array")
      for selected in ([0], [0, 0, 0], [[0, 0]], [0, 3], [-1, 0])),
    (partial(attention_svm, KEYS, np.zeros(3, int)), r"selected: need one token index in \[0, 3\)"),
    (partial(attention_svm, ROWS, FIRST), r"keys: need an array \(n, T, d\), got shape \(3, 2\)"),
    (partial(attention_svm, KEYS[:, :1], FIRST), "no token to separate"),
    (partial(attention_svm, np.where(KEYS == 3, np.nan, KEYS), FIRST), "finite"),
    (partial(attention_svm, np.where(KEYS == 3, np.inf, KEYS), FIRST), "finite"),
    (partial(relaxed_svm, KEYS, FIRST, np.array([True, False, True])), "supporting: need an array"),
    (partial(relaxed_svm, KEYS, FIRST, np.array([False, False])), "not all zero"),
    (partial(label_svm, ROWS, np.array([1.0, -1.0])), r"labels: need an array .*got shape \(1, 2\)"),
    (partial(label_svm, ROWS, np.zeros(3)), r"labels: need \+1 and -1"),
    (partial(solve_max_margin, KEYS, np.ones(2)), "finite"),
    (partial(solve_max_margin, ROWS, np.ones(2)), "finite"),
    *((partial(solve_max_margin, ROWS, np.array(required)), message)
      for required, message in (([1.0, np.nan, 1.0], "finite"), ([1.0, -1.0, 1.0], ">= 0"), (3 * [0.0], "all zero"))),
    (partial(solve_max_margin, np.zeros((0, 2)), np.zeros(0)), "at least one number"),
    *((partial(solve, scale * np.eye(2), np.array(b)), message)
      for solve in (solve_max_margin, partial(solve_lp_max_margin, exponent=3))
      for scale, b, message in (
          (1, [1e300, 1], "those that are not 0 must be at least 1e-15 of the largest"),
          (1e-200, [1, 1], BEYOND), (1e200, [1, 1], BEYOND), (1e200, [1e-200, 1e-200], BEYOND),
      )),
    *((partial(AttentionSVM, select=select), "select") for select in ([], [-1], "best", [0.5], [[0]])),
    *((partial(kind(select=select).solve, FIG3B, 0), r"select: need one token index in \[0, 2\) for each of 3 inputs")
      for kind in (AttentionSVM, LabelSVM, RelaxedSVM, partial(LpAttentionSVM, exponent=3),
                   partial(LpLabelSVM, exponent=3))
      for select in ((0, 0), (0, 0, 2))),
    (partial(solve_references, FIG3B, {"lost": AttentionSVM(select=(0, 0))}), "reference lost: select: need one"),
    (partial(tabulate, labelled(([[1, 1], [1, 1]], 1)), AttentionSVM()), "no problem of the batch has a solution"),
]  # fmt: skip


def test_programs_without_meaning_are_refused():
    assert_refused(REFUSALS)


REFERENCES = {
    ("p", True): ["attention_svm", "lp_attention_svm", "near_tied_svm"],
    ("v", True): ["label_svm", "lp_label_svm"],
    ("p", False): ["relaxed_svm", "tied_svm"],
}


def test_references_know_their_parameter_and_whether_they_follow_the_selection():
    assert kinds(Reference) == sorted(itertools.chain(*REFERENCES.values()))
    for expected, several in REFERENCES.items():
        for kind in several:
            exponent = {"exponent": 3.0} if kind.startswith("lp_") else {}
            reference = Reference.of({"kind": kind, **exponent, "select": [0, 1]})
            assert (reference.parameter, reference.follows_selection) == expected
            assert reference.select == (0, 1)


def test_references_of_problem_are_named_arrays():
    problem = PROBLEMS["3b"]
    arrays = solve_references(problem, {"gmm": AttentionSVM(), "head": LabelSVM()})
    assert str(arrays["references/gmm/parameter"]) == "p"
    assert str(arrays["references/head/parameter"]) == "v"
    np.testing.assert_allclose(arrays["references/gmm/weights"], [[1.25, 0.25]], atol=1e-12)
    assert {name.split("/")[2] for name in arrays} <= {*QUANTITIES, "parameter"}


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
