"""ATT-SVM' of several optimal tokens per input: by hand, against another solver, and what it refuses."""

import numpy as np
import pytest
import scipy.optimize

from attention_dynamics.margins.attention_svm import AttentionSVM
from attention_dynamics.margins.max_margin import Infeasible
from attention_dynamics.margins.references import tabulate
from attention_dynamics.margins.selection import tied_optimal
from attention_dynamics.margins.tied_svm import TiedSVM
from attention_dynamics.problems.scored_tokens import ScoredTokens


def scored(*inputs):
    return ScoredTokens(inputs=[{"tokens": t, "scores": s, "label": 1} for t, s in inputs]).build()


# The example of Appendix D, and one whose two solutions are no mirror images.
PAPER = scored(([[1, 0], [0, 1], [0, 0]], [1, 1, 0]))
TWO = scored(([[1, 0], [-1, 0.5], [0, 0]], [1, 1, 0]), ([[1.2, 2.15], [0, -1], [0, 0]], [1, 0, 0]))


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


def test_tied_svm_matches_example_of_paper():
    first, second = (TiedSVM(select=[t]).solve(PAPER, 0) for t in (0, 1))
    np.testing.assert_allclose(first.weights, [1, 0, 0], atol=1e-12)
    np.testing.assert_allclose(second.weights, [0, 1, 0], atol=1e-12)
    assert margins(PAPER, first.weights) == pytest.approx([1])
    assert margins(PAPER, (first.weights + second.weights) / 2) == pytest.approx([0.5])


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


def test_margins_and_multipliers_have_token_axis():
    solution = TiedSVM(select=[1, 0]).solve(TWO, 0)
    np.testing.assert_allclose(solution.margins, [[np.nan, np.nan, 1], [np.nan, 1.8, 1]], atol=1e-12)
    np.testing.assert_array_equal(solution.duals > 1e-9, [[False, False, True], [False, False, True]])
    assert solution.neighbors().tolist() == [[False, False, True], [False, False, True]]


@pytest.mark.parametrize("seed", range(12))
def test_local_search_finds_no_shorter_solution(seed):
    problem = random_problem(seed)
    keys = problem.keys[..., :2]
    solution = TiedSVM().solve(problem, 0)
    if isinstance(solution, Infeasible):
        angles = np.linspace(0, 2 * np.pi, 3600)
        directions = np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=-1)
        assert max(margins(problem, p).min() for p in directions) <= 1e-3
        return
    assert margins(problem, solution.weights).min() >= 1 - 1e-9
    best = tied_optimal(problem.scores()[0])
    found = []
    for theta in np.linspace(0, 2 * np.pi, 24, endpoint=False):
        start = 3 * solution.norm * np.array([np.cos(theta), np.sin(theta)])
        # Of each input the optimal token that leads at the start; it need not lead at the end.
        leads = np.where(best, keys[0] @ start, -np.inf).argmax(-1)
        rows = np.concatenate([K[a] - K[~o] for K, a, o in zip(keys[0], leads, best, strict=True)])
        constraint = {"type": "ineq", "fun": lambda p, A=rows: A @ p - 1, "jac": lambda p, A=rows: A}
        answer = scipy.optimize.minimize(lambda p: p @ p, start, jac=lambda p: 2 * p, constraints=constraint)
        if answer.success and (rows @ answer.x).min() >= 1 - 1e-6:
            found.append(np.linalg.norm(answer.x))
    assert min(found) == pytest.approx(solution.norm, rel=1e-5)


def test_tied_svm_without_ties_is_attention_svm():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        problem = scored(*((rng.standard_normal((3, 2)).tolist(), rng.standard_normal(3).tolist()) for _ in range(2)))
        tied, plain = TiedSVM().solve(problem, 0), AttentionSVM().solve(problem, 0)
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


@pytest.mark.parametrize(
    ("select", "message"),
    [
        ([2, 0], r"token 2 of input 0 is not optimal; choose one of \[0, 1\]"),
        ([0, 1], r"token 1 of input 1 is not optimal; choose one of \[0\]"),
        ([0], "need one token index in"),
        ([0, 3], "need one token index in"),
    ],
)
def test_invalid_choice_is_refused(select, message):
    with pytest.raises(ValueError, match=message):
        TiedSVM(select=select).solve(TWO, 0)


def test_empty_program_and_too_many_choices_are_refused():
    with pytest.raises(ValueError, match="no token to separate"):
        TiedSVM().solve(scored(([[1, 0], [0, 1]], [1, 1])), 0)
    many = scored(*(([[1, 0], [0, 1], [0, 0]], [1, 1, 0]) for _ in range(10)))
    with pytest.raises(ValueError, match="1024 choices"):
        TiedSVM().solve(many, 0)
