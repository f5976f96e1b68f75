"""Sequence classes: the published generator, the streams of draws, and what is measured on them."""

import random

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_dynamics.sequences import token_composition
from attention_dynamics.sequences.classes import SequenceClasses, published_classes
from attention_dynamics.sequences.sampling import draw

SMALL = published_classes(num_last=2, num_next_per_last=1)
MEDIUM = published_classes(num_last=3, num_next_per_last=2)
some = settings(deadline=None, max_examples=40, derandomize=True)


@some
@given(num_last=st.integers(1, 12), num_next=st.integers(1, 4))
def test_classes_are_distributions_over_own_tokens(num_last, num_next):
    data, K = published_classes(num_last=num_last, num_next_per_last=num_next), num_last * num_next
    assert data.probabilities.shape == (K, 10 + 10 * K + num_last + K)
    np.testing.assert_allclose(data.probabilities.sum(-1), 1, rtol=1e-14)
    np.testing.assert_allclose(data.probabilities[:, data.common], 1 / 15.5, rtol=1e-14)
    for n in range(K):
        np.testing.assert_allclose(data.probabilities[n, data.distinct[n]], np.arange(1, 11) / 155, rtol=1e-14)
        assert set(np.flatnonzero(data.probabilities[n])) == set(data.support[n])
        np.testing.assert_allclose(data.support_probabilities[n], data.probabilities[n, data.support[n]])
    tokens = np.concatenate([data.common, data.distinct.ravel(), data.queries, data.next])
    assert np.array_equal(tokens, np.arange(data.probabilities.shape[1]))
    assert np.array_equal(data.queries[data.query_index], data.query)
    assert np.bincount(data.query_index).tolist() == [num_next] * num_last
    arrays = data.to_arrays()
    copy = SequenceClasses.from_arrays(arrays)
    assert all(np.array_equal(array, arrays[name]) for name, array in copy.to_arrays().items())
    assert np.array_equal(copy.support, data.support)


def test_classes_have_published_sizes_and_tokens():
    sizes = [(2, 1), (1, 2), (3, 2), (5, 2), (10, 2)]
    built = [published_classes(num_last=last, num_next_per_last=following) for last, following in sizes]
    assert [data.probabilities.shape[1] for data in built] == [34, 33, 79, 125, 240]
    assert (SMALL.query.tolist(), SMALL.next.tolist()) == ([30, 31], [32, 33])
    assert MEDIUM.query.tolist() == [70, 70, 71, 71, 72, 72]


def one_call_per_sample(data, seed, steps, batch, T):
    """Return Y, Z, classes and counts, drawn by the global generators with one call per sample over all M tokens."""
    python = random.getstate()
    with torch.random.fork_rng():
        random.seed(seed)
        torch.manual_seed(seed + 2)
        weights = torch.cat([torch.ones(10), torch.linspace(0.1, 1.0, 10)])
        M, facts = data.probabilities.shape[1], []
        for n in range(len(data.query)):
            probabilities = torch.zeros(M)
            probabilities[torch.tensor(data.support[n])] = weights / weights.sum()
            facts.append((n, probabilities))
        first, second = (torch.nn.Linear(M, M, bias=False).weight.detach().numpy() for _ in range(2))
        classes, counts = np.empty((steps, batch), int), np.empty((steps, batch, 20), int)
        for step, k in np.ndindex(steps, batch):
            classes[step, k], probabilities = random.choice(facts)
            tokens = torch.multinomial(probabilities, T - 1, replacement=True).numpy()
            counts[step, k] = np.bincount(tokens, minlength=M)[data.support[classes[step, k]]]
    random.setstate(python)
    return first.T[: data.contextual], second[data.queries], classes, counts


@pytest.mark.parametrize("data", [SMALL, MEDIUM], ids=["small", "medium"])
def test_exact_draws_match_one_call_per_sample(data):
    for seed in (0, 2):
        samples = draw(data, seed=seed, steps=30, start="uniform")
        expected = one_call_per_sample(data, seed, steps=30, batch=128, T=128)
        for ours, theirs in zip((samples.Y, samples.Z, samples.classes, samples.counts), expected, strict=True):
            assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("mode", ["exact", "fast"])
def test_draws_depend_only_on_seed(mode):
    before = torch.get_rng_state(), random.getstate(), np.random.get_state()[1].copy()  # noqa: NPY002
    samples = draw(MEDIUM, seed=3, steps=6, batch=5, T=9, mode=mode, start="uniform")
    shorter = draw(MEDIUM, seed=3, steps=4, batch=5, T=9, mode=mode)
    other = draw(MEDIUM, seed=4, steps=6, batch=5, T=9, mode=mode, start="uniform")
    assert torch.equal(before[0], torch.get_rng_state())
    assert before[1] == random.getstate()
    assert np.array_equal(before[2], np.random.get_state()[1])  # noqa: NPY002
    assert np.array_equal(samples.classes[:4], shorter.classes)
    assert np.array_equal(samples.counts[:4], shorter.counts)
    assert not shorter.Y.any()
    assert not shorter.Z.any()
    for ours, theirs in zip(samples, other, strict=True):
        assert not np.array_equal(ours, theirs)


@pytest.mark.parametrize("mode", ["exact", "fast"])
def test_draws_follow_distribution(mode):
    samples = draw(MEDIUM, seed=1, steps=80, mode=mode, start="uniform")
    assert (samples.counts.sum(-1) == 127).all()
    assert samples.classes.shape == (80, 128)
    M = MEDIUM.probabilities.shape[1]
    for n in range(6):
        counts = samples.counts[samples.classes == n]
        assert abs(len(counts) - 80 * 128 / 6) < 5 * np.sqrt(80 * 128 * 5 / 36)
        expected, P = 127 * len(counts) * MEDIUM.support_probabilities[n], MEDIUM.support_probabilities[n]
        # Chi squared with 19 degrees of freedom.
        assert 3 < (np.square(counts.sum(0) - expected) / expected).sum() < 55
        np.testing.assert_allclose(counts.var(0), 127 * P * (1 - P), rtol=0.25)
    for weights in (samples.Y, samples.Z):
        assert np.abs(weights).max() <= 1 / np.sqrt(M)
        np.testing.assert_allclose(weights.std(), 1 / np.sqrt(3 * M), rtol=0.1)
        assert abs(weights.mean()) < 5 / np.sqrt(3 * M * weights.size)


def test_invalid_sizes_are_refused():
    with pytest.raises(ValueError, match="need 1 or more, got 0 and 2"):
        published_classes(num_last=0, num_next_per_last=2)
    for wrong, message in (
        ({"T": 1}, "seed, steps, batch and T"), ({"batch": 0}, "seed, steps"), ({"seed": -1}, "seed, steps"),
        ({"mode": "slow"}, "'slow'"), ({"start": "one"}, "'one'"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            draw(SMALL, **{"seed": 0, "steps": 1} | wrong)


def test_measures_of_equal_and_of_extreme_logits():
    c = token_composition.composition(SMALL, np.zeros((2, 34)))
    np.testing.assert_allclose(c, SMALL.probabilities, atol=1e-15)
    np.testing.assert_allclose(token_composition.common_mass(SMALL, c), 10 / 15.5)
    shares = np.arange(1, 11) / 55
    np.testing.assert_allclose(token_composition.distinct_entropy(SMALL, c), -(shares * np.log(shares)).sum())
    recall = token_composition.recall(SMALL, np.zeros((2, 34)), [0.9 / 34, 1.1 / 34])
    assert recall.tolist() == [1.0, 0.0]
    # With these logits, one token of each class has all the attention.
    c = token_composition.composition(SMALL, 800.0 * np.isin(np.arange(34), [19, 29]) * np.ones((2, 1)))
    for measure in (token_composition.distinct_entropy, token_composition.common_mass):
        np.testing.assert_allclose(measure(SMALL, c), 0, atol=1e-12)


@some
@given(seed=st.integers(0, 10**6), size=st.floats(0, 5), shift=st.floats(-600, 600))
def test_measures_match_definitions_and_ignore_logit_shift(seed, size, shift):
    Z = size * np.random.default_rng(seed).standard_normal((2, 3, 79))
    c, thresholds = token_composition.composition(MEDIUM, Z + shift), [0.5 / 79, 1.1 / 79, 2 / 79]
    entropy, common = token_composition.distinct_entropy(MEDIUM, c), token_composition.common_mass(MEDIUM, c)
    recall = token_composition.recall(MEDIUM, Z + shift, thresholds)
    for run in range(2):
        found = np.zeros((6, 10, 3))
        for n in range(6):
            z = Z[run, n // 2]
            unnormalized = MEDIUM.probabilities[n] * np.exp(z)
            expected = unnormalized / unnormalized.sum()
            np.testing.assert_allclose(c[run, n], expected, rtol=1e-9)
            own = expected[10 + 10 * n : 20 + 10 * n]
            shares = own / own.sum()
            np.testing.assert_allclose(entropy[run, n], -(shares * np.log(shares)).sum(), atol=1e-9)
            np.testing.assert_allclose(common[run, n], expected[:10].sum(), rtol=1e-9)
            probabilities = np.exp(z[10 + 10 * n : 20 + 10 * n]) / np.exp(z).sum()
            found[n] = probabilities[:, None] > thresholds
        np.testing.assert_allclose(recall[run], found.mean((0, 1)), atol=1e-12)
