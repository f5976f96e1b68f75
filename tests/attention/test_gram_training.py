"""Training in the span of the keys against the general engine and against the published way."""

import itertools
from functools import partial

import numpy as np
import pytest

from attention_dynamics.attention import gram_training
from attention_dynamics.attention.descent import descend
from attention_dynamics.attention.gram_training import gram_matrices, train_in_span
from attention_dynamics.attention.losses.logistic import Logistic
from attention_dynamics.attention.models.prompt_attention import PromptAttention
from attention_dynamics.margins.attention_svm import attention_svm
from attention_dynamics.margins.local_optimality import local_optimality
from attention_dynamics.optim.normalized_gd import NormalizedGD
from attention_dynamics.problems.random_sphere import RandomSphere
from helpers.refusals import assert_refused

SHAPES = [(1, 2, 2), (2, 3, 5), (4, 6, 2), (4, 6, 10), (6, 8, 10), (3, 5, 100)]


def problems(n, T, d, trials=12):
    return RandomSphere(trials=trials, n=n, T=T, d=d, seed=d).build()


def train_from_gram(problem, steps, step_size=1.0, **options):
    return train_in_span(gram_matrices(problem.keys), problem.scores(), steps=steps, step_size=step_size, **options)


def train_with_engine(problem, steps, step_size, precision="stable", epsilon=0.0):
    model = PromptAttention().bind(problem, Logistic(), precision)
    optimizer = NormalizedGD(step_size=step_size, epsilon=epsilon)
    start = {"p": np.zeros((1, problem.keys.shape[-1]))}
    return descend(model, {"p": optimizer}, start, record_steps=[0, steps])["p"][-1, :, 0]


def relative_error(one, other):
    return np.linalg.norm(one - other, axis=-1) / np.linalg.norm(other, axis=-1)


@pytest.mark.parametrize(
    ("shape", "precision", "step_size", "epsilon", "steps", "tolerance"),
    [
        *((shape, "stable", 0.5, 0.0, (1, 2, 20), 1e-9) for shape in SHAPES),
        *(
            pytest.param((4, 6, 50), *row, marks=pytest.mark.slow)
            for row in [
                ("stable", 1.0, 1e-3, (40,), 1e-9),
                ("float64", 1.0, 0.0, (20,), 1e-9),
                ("float64", 1.0, 1e-3, (40,), 1e-9),
                ("float32", 1.0, 0.0, (15,), 1e-3),
                ("float32", 1.0, 1e-3, (40,), 1e-3),
            ]
        ),
    ],
    ids=str,
)
def test_iterates_equal_general_engine(shape, precision, step_size, epsilon, steps, tolerance):
    problem = problems(*shape)
    for count in steps:
        result = train_from_gram(problem, count, step_size, precision=precision, epsilon=epsilon)
        prompts = result.prompts(problem.keys)
        expected = train_with_engine(problem, count, step_size, precision, epsilon)
        assert relative_error(prompts, expected).max() < tolerance
        logits = (problem.keys * prompts[:, None, None]).sum(-1)
        np.testing.assert_allclose(result.logits, logits, atol=max(tolerance, 1e-9))


def test_direction_reaches_svm_after_probabilities_underflow():
    problem = problems(4, 6, 100, trials=4)
    result = train_from_gram(problem, 20_000)
    # Far below the smallest float: the textbook gradient is exactly zero here.
    gaps = np.sort(result.logits, axis=-1)
    assert (gaps[..., -1] - gaps[..., -2]).min() > 1000
    for k, prompt in enumerate(result.prompts(problem.keys)):
        solution = attention_svm(problem.keys[k], result.logits[k].argmax(-1))
        assert prompt @ solution.direction / np.linalg.norm(prompt) > 0.99999


@pytest.mark.slow
@pytest.mark.parametrize("precision", ["stable", "float64", "float32"])
def test_problem_gives_same_bits_in_any_batch(precision):
    problem = problems(4, 6, 10, trials=1000)
    keys, scores = problem.keys, problem.scores()

    def results(part):
        gram = gram_matrices(keys[part])
        result = train_in_span(gram, scores[part], steps=60, step_size=1.0, precision=precision)
        return gram, result.coefficients, result.logits, result.prompts(keys[part])

    together = results(np.arange(1000))
    order = np.random.default_rng(0).permutation(1000)
    parts = [order, *np.split(order[:11], [1, 4]), np.arange(1), np.arange(3), np.arange(37, 44)]
    for part in parts:
        for alone, all_of_them in zip(results(part), together, strict=True):
            assert alone.tobytes() == all_of_them[part].tobytes()


def test_exponential_is_within_two_units_in_last_place():
    points = np.concatenate([np.linspace(-300, 0, 20_001), -np.geomspace(1e-300, 1, 2_001)])
    values, expected = np.array([gram_training._exp(x) for x in points]), np.exp(points)
    assert (np.abs(values - expected) <= 2 * np.spacing(expected)).all()
    assert gram_training._exp(0.0) == 1.0


def outcome(problem, **options):
    """Cosines with the selected tokens' max-margin direction and minimum score gaps, over the trials."""
    result, scores = train_from_gram(problem, 1000, **options), problem.scores()
    solutions = [attention_svm(K, z.argmax(-1)) for K, z in zip(problem.keys, result.logits, strict=True)]
    prompts = result.prompts(problem.keys)
    cosines = [p @ s.direction / np.linalg.norm(p) for p, s in zip(prompts, solutions, strict=True)]
    gaps = [local_optimality(s, gamma).score_gap for s, gamma in zip(solutions, scores, strict=True)]
    return np.mean(cosines), np.mean(np.array(gaps) < 0)


@pytest.mark.slow
def test_textbook_gradient_loses_direction_as_published_code():
    problem = RandomSphere(trials=300, n=4, T=6, d=100, seed=0).build()
    stable, stable_wrong = outcome(problem)
    double, double_wrong = outcome(problem, precision="float64", epsilon=2.2e-16)
    single, _ = outcome(problem, precision="float32", epsilon=1e-9)
    assert stable > 0.9999
    assert double == pytest.approx(0.9953, abs=0.002)
    assert single < 0.9
    assert stable_wrong <= 1 / 300
    assert double_wrong <= 0.03


WRONG = [
    ({"gram": np.zeros((3, 5, 5))}, r"gram: need an array \(P = 3, n T = 6, n T = 6\)"),
    ({"precision": "float16"}, "precision must be one of stable, float64, float32, got 'float16'"),
    ({"gram": np.full((3, 6, 6), np.nan)}, "gram: not all numbers are finite"),
    ({"scores": np.full((3, 2, 3), np.nan)}, "scores: not all numbers are finite"),
    ({"gram": np.full((3, 6, 6), 1e39), "precision": "float32"}, "gram and scores: .* the range of float32"),
    ({"scores": np.full((3, 2, 3), -1e39), "precision": "float32"}, "gram and scores: .* the range of float32"),
    *(({"steps": steps}, "steps: need a whole number") for steps in (-1, 2.5, np.nan)),
    *(({"step_size": size}, "step_size and epsilon") for size in (0, -1.0, np.nan, np.inf)),
    *(({"epsilon": size}, "step_size and epsilon") for size in (-1.0, np.nan, np.inf)),
]


def test_invalid_arguments_are_refused():
    given = {"gram": np.zeros((3, 6, 6)), "scores": np.zeros((3, 2, 3)), "steps": 1, "step_size": 1.0}
    assert_refused((partial(train_in_span, **given | changes), message) for changes, message in WRONG)


@pytest.mark.slow
def test_inputs_without_preference_keep_prompt_at_origin():
    """Single tokens, and tokens of equal scores."""
    for T, precision in itertools.product((1, 3), ("stable", "float64", "float32")):
        gram = gram_matrices(problems(2, T, 5).keys)
        result = train_in_span(gram, np.ones((12, 2, T)), steps=10, step_size=1.0, precision=precision)
        assert not result.coefficients.any()
        assert not result.logits.any()
