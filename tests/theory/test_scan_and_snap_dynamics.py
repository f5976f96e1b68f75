"""Scan and snap's theorems on their own dynamics: the decoder alone, the attention alone, and both trained together."""

import numpy as np
import pytest
import torch
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from scipy.special import softmax

from attention_dynamics.sequences.classes import published_classes
from attention_dynamics.theory import population_training, span_dynamics, token_dynamics
from attention_dynamics.theory.growth_laws import gamma, h_star
from helpers.refusals import assert_refused

# Seeds have no simpler failing example to look for.
some = settings(deadline=None, max_examples=12, derandomize=True, phases=[Phase.generate])
M, K, ETA_Y = 200, 5, 0.5


def synthetic_classes(K):
    """P(l|n) of the published classes on the contextual tokens."""
    classes = published_classes(num_last=1, num_next_per_last=K)
    return classes.probabilities[:, : classes.contextual]


def random_classes(seed, K=4, distinct=3, common=1):
    """Return classes with the common tokens and some of their own, all with random probabilities."""
    rng = np.random.default_rng(seed)
    P = np.zeros((K, common + distinct * K))
    P[:, :common] = rng.uniform(0.1, 1, (K, common))
    for n in range(K):
        P[n, common + distinct * n : common + distinct * (n + 1)] = rng.uniform(0.1, 1, distinct)
    return P / P.sum(1, keepdims=True), rng


def equal_overlaps(overlap):
    """F of K classes with f_n'f_n' = overlap: 30 tokens of each, 50 common ones."""
    P = np.zeros((K, M))
    P[:, 150:] = np.sqrt(30 / 50 * overlap / (1 - overlap))
    for n in range(K):
        P[n, 30 * n : 30 * (n + 1)] = 1
    return span_dynamics.class_vectors(P / P.sum(1, keepdims=True))


def own_logits(steps, eta_Y, M):
    """Return row 0 of W = F'Y after 0, ..., ``steps`` steps of class 0: w <- w + eta_Y (e_0 - softmax(w)) from zero."""
    logits = np.zeros((steps + 1, M))
    for s in range(steps):
        logits[s + 1] = logits[s] + eta_Y * (np.eye(M)[0] - softmax(logits[s]))
    return logits


def test_decoder_rows_match_lemma_5():
    zeta = 50 / 49 * (np.eye(50)[0] - 1 / 50)
    simulated = own_logits(400, ETA_Y, 50)
    np.testing.assert_allclose(simulated, 49 * np.multiply.outer(h_star(400, ETA_Y, 50), zeta), atol=1e-12)


@some
@given(seed=st.integers(0, 10**6))
def test_correction_has_sign_of_lemma_14_not_appendix_d1(seed):
    P, _ = random_classes(seed)
    F = span_dynamics.class_vectors(P)
    E, correction = span_dynamics.gram_deviation(F), span_dynamics.correction(F)
    np.testing.assert_allclose(F.T @ (F - F @ correction), np.eye(4), atol=1e-13)
    opposite = F.T @ (F + F @ correction)
    np.testing.assert_allclose(opposite, np.eye(4) + 2 * E, atol=1e-13)
    assert np.abs(opposite - np.eye(4)).max() > 0.01


def test_modified_gradient_updates_only_its_row():
    """Lemma 3 with Lemma 5: after any order of classes, row n of F'Y depends on how often n was drawn only."""
    F, classes = equal_overlaps(0.3), np.random.default_rng(0).integers(K, size=600)
    recorded = [0, 1, 50, 600]
    decoders = span_dynamics.train_decoder(F, classes, eta_Y=ETA_Y, record_steps=recorded)
    closed = h_star(600, ETA_Y, M)
    for s, Y in zip(recorded, decoders, strict=True):
        drawn = np.bincount(classes[:s], minlength=K)
        rows = M * closed[drawn][:, None] * (np.eye(K, M) - 1 / M)
        np.testing.assert_allclose(F.T @ Y, rows, atol=1e-12)
        np.testing.assert_allclose(Y.sum(1), 0, atol=1e-12)


def test_theorem_1_holds_for_cyclic_classes():
    """Its coefficients follow from Lemma 5 exactly where all rows of W are equally far."""
    F, recorded = equal_overlaps(0.04), [5, 50, 1000, 3000]
    off = ~np.eye(K, dtype=bool)
    decoders = span_dynamics.train_decoder(F, np.arange(3000) % K, eta_Y=ETA_Y, record_steps=recorded)
    found = span_dynamics.backpropagation(decoders, F, recorded, eta_Y=ETA_Y)
    turns = h_star(600, ETA_Y, M)[np.array(recorded) // K]
    weights = np.eye(K) - span_dynamics.correction(F)
    # W (e_n - alpha_n) is M h* (1 - alpha_nn) times 1 in row n and -1 / (M - 1) in the others.
    exact = weights @ (np.eye(K) * M / (M - 1) - 1 / (M - 1))
    scale = M * turns * (M - 1) / (M - 1 + np.exp(M * turns)) / found.gamma
    np.testing.assert_allclose(found.iota, scale[:, None] * np.diag(exact), rtol=1e-10)
    np.testing.assert_allclose(found.beta[:, off], -scale[:, None] * exact.T[off], rtol=1e-10)
    assert np.all(found.beta[:, np.eye(K, dtype=bool)] == 0)
    assert found.residual.max() < 1e-12
    between = span_dynamics.backpropagation(decoders[1:2], F, [47], eta_Y=ETA_Y)
    np.testing.assert_allclose(between.gamma, gamma(50, ETA_Y, M, K), rtol=1e-12)


@pytest.mark.slow
def test_theorem_1_holds_for_random_classes():
    F, recorded = equal_overlaps(0.04), [1000, 2000, 4000, 6000]
    correction = span_dynamics.correction(F)
    assert np.abs(np.linalg.eigvalsh(span_dynamics.gram_deviation(F))).max() < 1 / K
    classes = np.random.default_rng(2).integers(K, size=6000)
    decoders = span_dynamics.train_decoder(F, classes, eta_Y=ETA_Y, record_steps=recorded)
    found = span_dynamics.backpropagation(decoders, F, recorded, eta_Y=ETA_Y)
    off = ~np.eye(K, dtype=bool)
    np.testing.assert_allclose(found.iota / (1 - np.diag(correction)), np.ones((4, K)), atol=0.1)
    assert np.all(found.beta[:, off] > 0)
    assert np.abs(found.beta - correction)[:, off].max() < 3 / M
    assert found.residual.max() < 1e-12


@pytest.mark.parametrize(("K", "expected"), [(2, 0.722), (6, 3.61), (10, 6.50), (20, 13.7)])
def test_synthetic_classes_violate_assumption_2(K, expected):
    eigenvalues = np.linalg.eigvalsh(span_dynamics.gram_deviation(span_dynamics.class_vectors(synthetic_classes(K))))
    np.testing.assert_allclose(np.abs(eigenvalues).max(), expected, rtol=5e-3)
    assert np.abs(eigenvalues).max() > 1 / K


def test_logit_velocity_matches_equation():
    """Eq. 97 written out, with two query tokens and logits that are not zero."""
    P, rng = random_classes(3, common=2)
    beta, z, queries = rng.uniform(0.1, 1, (4, 4)), rng.standard_normal((2, P.shape[1])), [0, 1, 1, 0]
    solution = token_dynamics.solve(P, queries, beta=beta, gamma=lambda t: 0.3 + t, eta_Z=0.7, times=[0.0, 1e-3], z=z)
    c = P * np.exp(z[queries])
    f = c / np.linalg.norm(c, axis=1, keepdims=True)
    velocity = np.zeros_like(z)
    for n, m in enumerate(queries):
        for other in set(range(4)) - {n}:
            velocity[m] += 0.7 * 0.3 * f[n] * beta[n, other] * ((f[n] @ f[other]) * f[n] - f[other])
    np.testing.assert_allclose(solution.velocity[0], velocity, atol=1e-14)
    np.testing.assert_allclose(solution.f[0], f, atol=1e-14)
    np.testing.assert_allclose((solution.z[1] - z) / 1e-3, (solution.velocity[0] + solution.velocity[1]) / 2, rtol=1e-5)
    xi = [0.3 * sum(beta[n, o] * f[n] @ f[o] for o in range(4) if o != n) for n in range(4)]
    np.testing.assert_allclose(solution.xi[0], xi, rtol=1e-12)
    np.testing.assert_allclose(solution.exponent[1] / 1e-3, 0.7 * solution.xi.mean(0), rtol=1e-5)


@pytest.mark.slow
@some
@given(seed=st.integers(0, 10**6), eta_Z=st.floats(0.05, 2))
def test_theorems_2_and_3_hold_for_shared_query_and_common_token(seed, eta_Z):
    P, rng = random_classes(seed)
    beta, times = rng.uniform(0.02, 0.2, (4, 4)), np.linspace(0, 400, 101)
    solution = token_dynamics.solve(
        P, [0] * 4, beta=beta, gamma=lambda t: gamma(t, 1.0, M, 4), eta_Z=eta_Z, times=times
    )
    assert np.all(solution.velocity[1:, 0, 0] < 0)
    assert np.all(solution.velocity[1:, 0, 1:] > 0)
    assert token_dynamics.growth_law_error(P, [0] * 4, solution.z).max() < 1e-6
    distinct = token_dynamics.distinct_tokens(P)
    for n in range(4):
        dominant = np.argmax(P[n] * distinct[n])
        chi, exponent = np.exp(2 * solution.z[1:, 0, dominant]), solution.exponent[1:, n]
        assert np.all(np.exp(2 * solution.f[0, n, dominant] ** 2 * exponent) <= chi * (1 + 1e-10))
        assert np.all(chi < np.exp(2 * exponent))
        assert np.all(np.diff(solution.f[:, n, dominant]) > 0)


@pytest.mark.parametrize("residual", [False, True])
def test_population_step_is_gradient_of_expected_loss(residual):
    P, _ = random_classes(5, common=2)
    # Behind the contextual tokens come the query tokens of the residual, and the next tokens.
    P, queries, (rate_Y, rate_Z) = np.pad(P, ((0, 0), (0, 6))), [0, 1, 1, 0], (0.8, 0.3)
    trained = population_training.train(P, queries, eta_Y=rate_Y, eta_Z=rate_Z, record_steps=[7, 8], residual=residual)
    Y, z = (torch.tensor(x[0, 0], requires_grad=True) for x in (trained.Y, trained.z))
    attention = torch.softmax(torch.tensor(P).log() + z[queries], dim=1)
    if residual:
        attention = attention + torch.nn.functional.one_hot(torch.tensor(queries) + P.shape[1] - 6, P.shape[1])
    logits = torch.nn.functional.normalize(attention) @ Y
    loss = torch.nn.functional.cross_entropy(logits, P.shape[1] - 4 + torch.arange(4))
    loss.backward()
    np.testing.assert_allclose(trained.loss[0, 0], loss.item(), rtol=1e-13)
    np.testing.assert_allclose(trained.Y[1, 0], (Y - rate_Y * Y.grad).detach(), atol=1e-14)
    np.testing.assert_allclose(trained.z[1, 0], (z - rate_Z * z.grad).detach(), atol=1e-14)


@pytest.mark.slow
def test_theorem_3_requires_much_faster_decoder():
    """Assumption 1(c), with the two classes of Syn-Small: 30 contextual tokens, two queries and two next tokens."""
    P, queries, steps = np.pad(synthetic_classes(2), ((0, 0), (0, 4))), [0, 1], [0, 200, 2000, 20000]
    trained = population_training.train(P, queries, eta_Y=[1, 1, 1, 10], eta_Z=[1, 0.1, 0.01, 1], record_steps=steps)
    errors = token_dynamics.growth_law_error(P, queries, trained.z)
    assert np.all(errors[0] == 0)
    errors = errors[1:].max(-1)
    np.testing.assert_allclose(errors[:, 2], [0.001, 0.003, 0.009], atol=5e-4)
    np.testing.assert_allclose(errors[1, :2], [0.60, 0.14], atol=5e-3)
    assert np.all(np.diff(errors[:, :3], axis=1) < 0)
    np.testing.assert_allclose(errors[[0, 2], 1], [0.04, 0.26], atol=5e-3)
    np.testing.assert_allclose(errors[[0, 2], 3], [0.13, 0.38], atol=5e-3)
    np.testing.assert_allclose(trained.loss[0], np.log(34), rtol=1e-12)
    for sums in (trained.Y.sum(-1), trained.z.sum(-1)):
        np.testing.assert_allclose(sums, 0, atol=1e-10)


@pytest.mark.parametrize("K", [2, 4])
def test_corollary_2_holds_in_training(K):
    steps = [1, 2, 5, 10, 50, 200, 1000]
    trained = population_training.train(
        synthetic_classes(K), [0] * K, eta_Y=[1, 1, 1, 10, 0.1], eta_Z=[1, 0.1, 0.01, 1, 1], record_steps=steps
    )
    # The first step trains Y alone.
    assert np.all(trained.z[0] == 0)
    assert np.all(trained.z[1:, :, 0, :10] < 0)
    assert np.all(trained.z[1:, :, 0, 10:] > 0)


CLASSES = synthetic_classes(2)
SOLVE = {"beta": np.ones((2, 2)), "gamma": lambda t: 1.0, "eta_Z": 1.0, "times": [0, 1]}
REFUSALS = [
    (lambda: span_dynamics.gram_deviation(np.ones((3, 1))), "unit vectors"),
    (lambda: span_dynamics.gram_deviation(np.eye(3)[:, [0, 0]]), "linearly independent"),
    (lambda: span_dynamics.train_decoder(np.eye(3), [0], eta_Y=1.0, record_steps=[2]),
     "step 2 is larger than the number of classes given, 1"),
    (lambda: span_dynamics.train_decoder(np.eye(3), [0], eta_Y=0.0, record_steps=[1]), "eta_Y"),
    (lambda: span_dynamics.backpropagation(np.zeros((1, 3, 3)), np.eye(3), [0], eta_Y=1.0), "step"),
    (lambda: token_dynamics.solve(2 * CLASSES, [0, 0], **SOLVE), "sum to one"),
    (lambda: token_dynamics.solve(CLASSES, [0, 2], **SOLVE), "needs one query"),
    (lambda: token_dynamics.solve(CLASSES, [0, 0], **SOLVE | {"beta": -np.eye(2)}), "beta"),
    (lambda: token_dynamics.solve(CLASSES, [0, 0], **SOLVE | {"eta_Z": 0.0}), "eta_Z"),
    (lambda: token_dynamics.growth_law_error(np.eye(2), [0, 0], np.zeros((1, 2))), "two distinct tokens"),
    (lambda: population_training.train(CLASSES, [0], eta_Y=1, eta_Z=1, record_steps=[1]), "needs one query"),
    (lambda: population_training.train(CLASSES, [0, 1], eta_Y=1, eta_Z=1, record_steps=[2, 1]), "must increase"),
    (lambda: population_training.train(CLASSES, [0, 1], eta_Y=1, eta_Z=0, record_steps=[1]), "eta_Z"),
]  # fmt: skip


def test_invalid_arguments_are_refused():
    assert_refused(REFUSALS)
    with pytest.raises(FloatingPointError, match="step size"):
        token_dynamics.solve(CLASSES, [0, 0], **SOLVE | {"gamma": lambda t: np.nan})
