"""ATT-SVM' of several optimal tokens per input, or of neighbors that score higher: by hand, and against SLSQP."""

import itertools

import numpy as np
import pytest
import scipy.optimize

from attention_dynamics.margins.attention_svm import AttentionSVM
from attention_dynamics.margins.max_margin import Infeasible
from attention_dynamics.margins.near_tied_svm import NearTiedSVM
from attention_dynamics.margins.references import tabulate
from attention_dynamics.margins.selected_tokens import tied_optimal
from attention_dynamics.margins.tied_svm import TiedSVM
from attention_dynamics.problems.random_sphere import RandomSphere
from attention_dynamics.problems.scored_tokens import ScoredTokens
from helpers.planar_problems import PROBLEMS, scored

# The example of Appendix D, and one whose two solutions are no mirror images.
PAPER = scored(([[1, 0], [0, 1], [0, 0]], [1, 1, 0]))
TWO = PROBLEMS["tied"]


def random_problem(seed, n=2, T=4):
    """Return a random problem in which two tokens of each input tie."""
    rng = np.random.default_rng(seed)
    scores = [rng.permutation([1.0, 1.0, *rng.uniform(-1, 0.9, T - 2)]).tolist() for _ in range(n)]
    return scored(*((rng.standard_normal((T, 2)).tolist(), s) for s in scores))


def margins(problem, p):
    """max over alpha in O_i of min over beta not in O_i of p'(k_alpha - k_beta), for every input."""
    logits = problem.keys[0] @ p
    best = problem.scores()[0].max(-1, keepdims=True) == problem.scores()[0]
    return np.where(best, logits, -np.inf).max(-1) - np.where(best, -np.inf, logits).max(-1)


def slsqp_norm(rows, start):
    """min |p| subject to rows @ p >= 1 from a start, infinite where that fails."""
    constraint = {"type": "ineq", "fun": lambda p: rows @ p - 1, "jac": lambda p: rows}
    answer = scipy.optimize.minimize(
        lambda p: p @ p, start, jac=lambda p: 2 * p, constraints=[constraint], method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )  # fmt: skip
    return np.linalg.norm(answer.x) if answer.success and (rows @ answer.x).min() >= 1 - 1e-8 else np.inf


def test_tied_svm_matches_example_of_paper():
    first, second = (TiedSVM(select=[t]).solve(PAPER, 0).weights for t in (0, 1))
    np.testing.assert_allclose([first, second], [[1, 0, 0], [0, 1, 0]], atol=1e-12)
    assert margins(PAPER, first) == pytest.approx([1])
    assert margins(PAPER, (first + second) / 2) == pytest.approx([0.5])


def test_equally_long_solutions_are_both_found():
    first, second = (TiedSVM(select=[t, 0]).solve(TWO, 0) for t in (0, 1))
    np.testing.assert_allclose(first.weights, [1, 0, 0], atol=1e-12)
    np.testing.assert_allclose(second.weights, [-0.6, 0.8, 0], atol=1e-12)
    assert first.norm == pytest.approx(second.norm, rel=1e-12)
    for one in (first, second):
        assert margins(TWO, one.weights).min() == pytest.approx(1, rel=1e-12)
        assert one.residual <= 1e-8
    # No point strictly between them meets the constraints: the program is not convex.
    for share in np.linspace(0.01, 0.99, 50):
        assert margins(TWO, share * first.weights + (1 - share) * second.weights).min() < 1
    shortest = TiedSVM().solve(TWO, 0)
    assert shortest.selected.tolist() == [0, 0]
    np.testing.assert_array_equal(shortest.weights, first.weights)
    # Margins and multipliers have an axis of tokens.
    solution = TiedSVM(select=[1, 0]).solve(TWO, 0)
    np.testing.assert_allclose(solution.margins, [[np.nan, np.nan, 1], [np.nan, 1.8, 1]], atol=1e-12)
    np.testing.assert_array_equal(solution.duals > 1e-9, [[False, False, True], [False, False, True]])
    assert solution.neighbors().tolist() == [[False, False, True], [False, False, True]]


def test_local_search_finds_no_shorter_solution():
    for seed in range(12):
        problem = random_problem(seed)
        keys = problem.keys[..., :2]
        solution = TiedSVM().solve(problem, 0)
        if isinstance(solution, Infeasible):
            angles = np.linspace(0, 2 * np.pi, 3600)
            directions = np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=-1)
            assert max(margins(problem, p).min() for p in directions) <= 1e-3
            continue
        assert margins(problem, solution.weights).min() >= 1 - 1e-9
        best = tied_optimal(problem.scores()[0])
        found = []
        for theta in np.linspace(0, 2 * np.pi, 24, endpoint=False):
            start = 3 * solution.norm * np.array([np.cos(theta), np.sin(theta)])
            # The optimal token of each input that leads at the start need not lead at the end.
            leads = np.where(best, keys[0] @ start, -np.inf).argmax(-1)
            rows = np.concatenate([K[a] - K[~o] for K, a, o in zip(keys[0], leads, best, strict=True)])
            found.append(slsqp_norm(rows, start))
        assert min(found) == pytest.approx(solution.norm, rel=1e-5)


@pytest.mark.parametrize(("kind", "selected"), [(TiedSVM, "optimal"), (NearTiedSVM, (0, 0))], ids=["tied", "near"])
def test_program_without_ties_is_attention_svm(kind, selected):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        scores = np.sort(rng.standard_normal((2, 3)))[:, ::-1]
        problem = scored(*((rng.standard_normal((3, 2)).tolist(), row.tolist()) for row in scores))
        tied, plain = (one(select=selected).solve(problem, 0) for one in (kind, AttentionSVM))
        assert type(tied) is type(plain)
        if not isinstance(tied, Infeasible):
            np.testing.assert_array_equal(tied.weights, plain.weights)
            np.testing.assert_array_equal(tied.margins, plain.margins)


def test_scores_tie_only_up_to_rounding():
    # Both are 0.3, but v'x is rounded differently.
    assert tied_optimal(np.array([[0.1 + 0.2, 0.3, 0.0]])).tolist() == [[True, True, False]]
    assert tied_optimal(np.array([[0.3, 0.3 - 1e-9, 0.0]])).tolist() == [[True, False, False]]
    assert tied_optimal(np.array([[-2.0, -2.0, -3.0], [0.0, 0.0, 0.0]])).tolist() == [[True, True, False], 3 * [True]]


def test_infeasible_and_feasible_choices_are_told_apart():
    # The token (0, 0) lies between the others: no direction prefers it.
    inside = scored(([[0, 0], [3, 1], [1, 0], [-1, 0]], [1, 1, 0, 0]))
    assert isinstance(TiedSVM(select=[0]).solve(inside, 0), Infeasible)
    assert TiedSVM().solve(inside, 0).selected.tolist() == [1]
    only = scored(([[0, 0], [0, 0], [1, 0], [-1, 0]], [1, 1, 0, 0]))
    assert isinstance(TiedSVM().solve(only, 0), Infeasible)
    between = scored(([[0, 0], [1, 0], [-1, 0]], [0, 1, 1]))
    assert isinstance(NearTiedSVM(select=(0,)).solve(between, 0), Infeasible)


def test_input_with_all_tokens_tied_adds_no_constraint():
    problem = scored(([[5, 5], [-5, 5], [0, -5]], [1, 1, 1]), ([[0, 2], [0, 0], [1, 0]], [1, 0, 0]))
    solution = TiedSVM().solve(problem, 0)
    assert solution.selected.tolist() == [0, 0]
    assert np.isnan(solution.margins[0]).all()
    np.testing.assert_allclose(solution.margins[1], [np.nan, 1, 1], atol=1e-12)


def test_table_layout_is_independent_of_ties():
    inputs = [{"tokens": [[1, 0], [-1, 0.5], [0, 0]], "scores": [1, "C", 0], "label": 1}]
    batch = ScoredTokens(inputs=inputs, settings={"C": [0.5, 1.0]}).build()
    table = tabulate(batch, TiedSVM())
    assert table["parameter"] == "p"
    assert table["margins"].shape == (2, 1, 3)
    np.testing.assert_allclose(table["margins_of_others"], [[table["margins"][0, 0, 1], 1], [np.nan, 1]], atol=1e-12)
    assert table["assumption_b"].tolist() == [False, False]
    np.testing.assert_array_equal(table["neighbors"][:, 0, 2], True)


def test_invalid_choice_is_refused():
    for problem, select, message in (
        (TWO, [2, 0], r"token 2 of input 0 is not optimal; choose one of \[0, 1\]"),
        (TWO, [0, 1], r"token 1 of input 1 is not optimal; choose one of \[0\]"),
        (TWO, [0], "need one token index in"),
        (TWO, [0, 3], "need one token index in"),
        (scored(([[1, 0], [0, 1]], [1, 1])), "optimal", "no token to separate"),
        (scored(*(([[1, 0], [0, 1], [0, 0]], [1, 1, 0]) for _ in range(10))), "optimal", "1024 choices"),
    ):
        with pytest.raises(ValueError, match=message):
            TiedSVM(select=select).solve(problem, 0)


def test_higher_scoring_neighbor_is_not_separated():
    # Selecting (1, 0): ATT-SVM has both others as neighbors, and (0, 1) scores more.
    problem = scored(([[1, 0], [0, 1], [-1, -1]], [0.5, 1, 0]))
    strict = AttentionSVM(select=(0,)).solve(problem, 0)
    np.testing.assert_allclose(strict.weights, [2 / 3, -1 / 3, 0], atol=1e-12)
    # Without that constraint, p'(2, 1) >= 1 for (1, 0), or p'(1, 2) >= 1 for (0, 1): equally short.
    tied = NearTiedSVM(select=(0,)).solve(problem, 0)
    assert tied.norm == pytest.approx(1 / np.sqrt(5))
    np.testing.assert_allclose(tied.weights, [0.4, 0.2, 0], atol=1e-12)
    # One that scores the same is.
    equal = NearTiedSVM(select=(0,)).solve(scored(([[1, 0], [0, 1], [-1, -1]], [1, 1, 0])), 0)
    np.testing.assert_allclose(equal.weights, strict.weights, atol=1e-12)


def test_near_tied_solution_is_shortest_of_all_choices():
    """Solution of the program with higher-scoring neighbors, for every choice of one token per set."""
    problem = RandomSphere(trials=30, n=2, T=4, d=3, seed=1).build()
    compared = 0
    for k, selected in itertools.product(range(30), itertools.product(range(4), repeat=2)):
        strict = AttentionSVM(select=selected).solve(problem, k)
        if isinstance(strict, Infeasible):
            continue
        keys, scores = problem.keys[k], problem.scores()[k]
        tied = strict.neighbors() & (scores > scores[[0, 1], selected][:, None])
        if not tied.any() or compared == 20:
            continue
        compared += 1
        tied[[0, 1], selected] = True
        choices = itertools.product(*(np.flatnonzero(row) for row in tied))
        programs = [np.concatenate([keys[i, t] - keys[i, ~tied[i]] for i, t in enumerate(one)]) for one in choices]
        lengths = [slsqp_norm(rows, strict.weights) for rows in programs if len(rows)]
        assert NearTiedSVM(select=selected).solve(problem, k).norm == pytest.approx(min(lengths), rel=1e-5)
    assert compared == 20
