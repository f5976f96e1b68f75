"""Training in the span of the keys against the general engine and against the published way."""

from functools import partial

import numpy as np
import pytest
import torch

from attention_dynamics.gram_training import gram_matrices, train_in_span
from attention_dynamics.losses import logistic
from attention_dynamics.margins.attention_svm import attention_svm
from attention_dynamics.models import prompt_attention
from attention_dynamics.optim import normalized_gd
from attention_dynamics.problems import random_sphere
from attention_dynamics.training import train

SHAPES = [(1, 2, 2), (2, 3, 5), (4, 6, 2), (4, 6, 10), (6, 8, 10), (3, 5, 100)]


def problems(n, T, d, trials=12):
    return random_sphere.build(trials=trials, n=n, T=T, d=d, seed=d)


def trained(problem, steps, step_size=1.0):
    return train_in_span(gram_matrices(problem.keys), problem.scores(), steps=steps, step_size=step_size)


def relative(one, other):
    return np.linalg.norm(one - other, axis=-1) / np.linalg.norm(other, axis=-1)


@pytest.mark.parametrize(("n", "T", "d"), SHAPES)
def test_the_iterates_are_those_of_the_general_engine(n, T, d):
    problem = problems(n, T, d)
    model = prompt_attention.build(problem, logistic, "stable", "cpu")
    step = partial(normalized_gd.step, step_size=0.5)
    for steps in (1, 2, 20):
        expected = train(model, {"p": step}, {"p": np.zeros((1, d))}, steps=steps, record_every=steps)["p"][-1, :, 0]
        result = trained(problem, steps, 0.5)
        prompts = result.prompts(problem.keys)
        assert relative(prompts, expected).max() < 1e-9
        np.testing.assert_allclose(result.logits, (problem.keys * prompts[:, None, None]).sum(-1), atol=1e-9)


def test_the_iterates_are_the_published_ones_while_those_are_exact():
    problem = problems(4, 6, 10)
    result = trained(problem, 15)
    for k in range(len(problem.labels)):
        keys, scores = torch.as_tensor(problem.keys[k]), torch.as_tensor(problem.scores()[k])
        p = torch.zeros(10, dtype=torch.float64, requires_grad=True)
        for _ in range(15):
            attention = (keys @ p).softmax(-1)
            torch.nn.functional.softplus(-(attention * scores).sum(-1)).mean().backward()
            with torch.no_grad():
                p -= p.grad / p.grad.norm()
            p.grad = None
        assert relative(result.prompts(problem.keys)[k], p.detach().numpy()) < 1e-6


@pytest.mark.parametrize("step_size", [0.1, 1.0, 7.0])
def test_the_first_step_has_the_length_of_the_step_size(step_size):
    problem = problems(4, 6, 20)
    prompts = trained(problem, 1, step_size).prompts(problem.keys)
    np.testing.assert_allclose(np.linalg.norm(prompts, axis=-1), step_size, rtol=1e-12)


def test_long_after_probabilities_underflow_the_direction_is_the_svms():
    problem = problems(4, 6, 100, trials=4)
    result = trained(problem, 20_000)
    # Far below the smallest float: the textbook gradient is exactly zero here.
    gaps = np.sort(result.logits, axis=-1)
    assert (gaps[..., -1] - gaps[..., -2]).min() > 1000
    for k, prompt in enumerate(result.prompts(problem.keys)):
        solution = attention_svm(problem.keys[k], result.logits[k].argmax(-1))
        assert prompt @ solution.direction / np.linalg.norm(prompt) > 0.99999


def test_a_problem_ends_in_the_same_bits_whatever_is_trained_with_it():
    problem = problems(4, 6, 10, trials=30)
    gram, scores = gram_matrices(problem.keys), problem.scores()
    together = train_in_span(gram, scores, steps=200, step_size=1.0).coefficients
    order = np.random.default_rng(0).permutation(30)
    shuffled = train_in_span(gram[order], scores[order], steps=200, step_size=1.0).coefficients
    assert (shuffled == together[order]).all()
    for shard in np.array_split(np.arange(30), 7):
        alone = train_in_span(gram[shard], scores[shard], steps=200, step_size=1.0).coefficients
        assert (alone == together[shard]).all()


def test_equal_scores_leave_the_prompt_at_the_origin():
    problem = problems(2, 3, 5)
    result = train_in_span(gram_matrices(problem.keys), np.ones((12, 2, 3)), steps=10, step_size=1.0)
    assert (result.coefficients == 0).all()
    assert (result.logits == 0).all()


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match=r"gram must be \(3, 6, 6\)"):
        train_in_span(np.zeros((3, 5, 5)), np.zeros((3, 2, 3)), steps=1, step_size=1.0)
