"""Figures on Scan and snap's theorems: what they compute, against derivations of another kind."""

import mpmath
import numpy as np
import pytest
from scipy.integrate import quad

from attention_dynamics.measures.attention_flow import AttentionFlow as AttentionFlowMeasure
from attention_dynamics.measures.backpropagation import Backpropagation
from attention_dynamics.measures.growth_stages import GrowthStages
from attention_dynamics.measures.population import Population as PopulationMeasure
from attention_dynamics.measures.token_logits import TokenLogits
from attention_dynamics.problems import stored
from attention_dynamics.run import Run
from attention_dynamics.sequences.classes import published_classes
from attention_dynamics.sequences.problems.overlapping_classes import OverlappingClassesSource
from attention_dynamics.sequences.problems.published_classes import PublishedClassesSource
from attention_dynamics.sequences.problems.random_classes import RandomClassesSource
from attention_dynamics.sequences.problems.vocabulary import VocabularySource
from attention_dynamics.sequences.problems.weighted_classes import WeightedClassesSource
from attention_dynamics.sequences.token_composition import composition
from attention_dynamics.theory import span_dynamics, token_dynamics
from attention_dynamics.theory.attention_flow import AttentionFlow
from attention_dynamics.theory.decoder_training import DecoderTraining
from attention_dynamics.theory.growth import Growth
from attention_dynamics.theory.population import Population

WEIGHTS = [[1, 1, 0.8, 0.5, 0, 0, 0], [1, 0, 0, 0, 1, 0.8, 0.5]]
TWO_CLASSES = WeightedClassesSource(weights=WEIGHTS, queries=[0, 0]).build()
# Classes 0 and 1 have one query token, 2 and 3 the other one.
TWO_QUERIES = WeightedClassesSource(
    weights=[[1, 1, 0, 1, 0], [1, 1, 0, 0, 0.5], [1, 0, 1, 0.7, 0], [0.3, 0, 1, 0, 1]], queries=[0, 0, 1, 1]
).build()


def measure_run(problem, training, measure):
    run = Run(problem=problem, training=training, trajectory=training.train(problem))
    run.series.update(measure.measure(run))
    return run


@pytest.mark.parametrize(
    "problem",
    [
        TWO_CLASSES,
        TWO_QUERIES,
        PublishedClassesSource(num_last=2, num_next_per_last=2).build(),
        RandomClassesSource(seeds=[1, 2], classes=3, common=2, distinct=2).build(),
        OverlappingClassesSource(classes=3, common=5, distinct=4, overlap=0.2).build(),
    ],
)
def test_classes_are_probabilities_and_survive_storage(problem):
    K, others = len(problem.queries), len(problem.queries) + len(set(problem.queries.tolist()))
    np.testing.assert_allclose(problem.probabilities.sum(-1), 1)
    assert problem.contextual == problem.probabilities.shape[2] - others
    assert not problem.probabilities[:, :, problem.contextual :].any()
    assert problem.probabilities.shape[1] == K
    again = stored.from_arrays(problem.to_arrays())
    np.testing.assert_array_equal(again.probabilities, problem.probabilities)
    np.testing.assert_array_equal(again.queries, problem.queries)
    assert again.settings.keys() == problem.settings.keys()


@pytest.mark.parametrize(
    "source",
    [
        OverlappingClassesSource(classes=4, common=6, distinct=3, overlap=0.05),
        *(RandomClassesSource(seeds=[1], classes=4, common=common, distinct=5, overlap=0.05) for common in (1, 3)),
    ],
)
def test_classes_can_have_equal_inner_products(source):
    P = source.build().probabilities[0]
    f = P / np.linalg.norm(P, axis=1, keepdims=True)
    np.testing.assert_allclose((f @ f.T)[~np.eye(4, dtype=bool)], 0.05)
    # The largest eigenvalue of E is 0.15, below 1/4; 0.05^2 / 2 is 12 / M times 0.15 for M = 1440.
    margins = [span_dynamics.correlation_margin(f, M) for M in (1000, 1440, 10000)]
    np.testing.assert_allclose(margins, [-0.00055, 0, 0.00107], atol=1e-12)
    assert span_dynamics.correlation_margin(np.array([[1, 0], [0.8, 0.6]]), 1e6) == pytest.approx(0.5 - 0.8)


def test_contradictory_settings_are_refused():
    for kind, settings, message in (
        (WeightedClassesSource, {"weights": [[1, 1], [1]], "queries": [0, 0]}, "lists of the same length"),
        (WeightedClassesSource, {"weights": [[1, 1], [0, 0]], "queries": [0, 0]}, "a positive number"),
        (WeightedClassesSource, {"weights": [[1, 1], [1, 0]], "queries": [0, 2]}, "needs one query"),
        (AttentionFlow, {"until": 1, "points": 1}, "set exactly one"),
        (AttentionFlow, {"until": 1, "points": 1, "eta_Y": [1.0], "decay": [1.0]}, "set exactly one"),
    ):
        with pytest.raises(ValueError, match=message):
            kind(**settings)


def test_flow_depends_on_time_only_through_integral_of_gamma():
    """Equation 10 is autonomous but for gamma: z(t) with gamma is z(Gamma(t)) with gamma = 1."""
    flow = AttentionFlow(decay=[0.5, 2], beta=1, until=1000, points=7, spacing="log").train(TWO_CLASSES)
    for k, p in enumerate((0.5, 2)):
        integrals = [quad(lambda s, p=p: (1 + s) ** -p, 0, t, limit=200)[0] for t in flow["step"]]
        plain = token_dynamics.solve(
            TWO_CLASSES.probabilities[0], [0, 0], beta=np.ones((2, 2)), gamma=lambda t: 1.0, eta_Z=1.0, times=integrals
        )
        np.testing.assert_allclose(flow["z"][:, 0, k], plain.z, rtol=1e-7, atol=1e-10)
        np.testing.assert_allclose(flow["exponent"][:, 0, k], plain.exponent, rtol=1e-7, atol=1e-10)


@pytest.mark.slow
def test_heads_start_at_random_logits_of_given_spread():
    flow = AttentionFlow(decay=[1], heads=150, spread=0.3, seed=5, until=1, points=1).train(TWO_CLASSES)
    start = flow["z"][0, 0]
    assert start.shape[0] == 150
    np.testing.assert_allclose(start.std(), 0.3, rtol=0.05)


def test_flow_measure_matches_solution():
    problem = RandomClassesSource(seeds=[3], classes=3, common=1, distinct=3).build()
    run = measure_run(problem, AttentionFlow(eta_Y=[1], eta_Z=0.3, until=100, points=400), AttentionFlowMeasure())
    P, z, series = problem.probabilities[0], run.trajectory["z"][:, 0, 0], run.series
    error = token_dynamics.growth_law_error(P, [0] * 3, z).max(-1)
    np.testing.assert_allclose(series["law_error"][:, 0, 0], error, atol=1e-12)
    dominant = 1 + P[0, 1:4].argmax()
    np.testing.assert_array_equal(series["dominant_logit"][:, 0, 0], z[:, 0, dominant])
    # Between records the velocities are those that finite differences have.
    slopes = np.diff(z[:, 0], axis=0) / 0.25
    np.testing.assert_allclose(series["fastest_common"][1:-1, 0, 0], (slopes[1:, 0] + slopes[:-1, 0]) / 2, rtol=0.02)
    middle = (slopes[1:, 1:10] + slopes[:-1, 1:10]).min(-1) / 2
    np.testing.assert_allclose(series["slowest_distinct"][1:-1, 0, 0], middle, rtol=0.02)
    weights = P[0, 1:4] * np.exp(z[:, 0, 1:4])
    np.testing.assert_allclose(series["distinct_shares"][:, 0, 0], weights / weights.sum(-1, keepdims=True))
    np.testing.assert_array_equal(series["winner"][:, 0, 0], weights.argmax(-1))


def test_lower_bound_fails_for_non_dominant_token():
    """The check of equation 12 can fail: the bound needs f to grow, and that of a weak token falls."""
    run = measure_run(TWO_CLASSES, AttentionFlow(decay=[0], beta=1, until=1000, points=10), AttentionFlowMeasure())
    z, f = run.trajectory["z"][-1, 0, 0, 0], run.trajectory["f"][:, 0, 0, 0]
    assert f[-1, 3] < f[0, 3]
    assert z[3] < f[0, 3] ** 2 * run.series["upper"][-1, 0, 0]
    assert run.series["dominant_logit"][-1, 0, 0] > run.series["lower"][-1, 0, 0]


def test_population_measure_separates_common_and_distinct_tokens():
    training = Population(eta_Y=[1, 2], eta_Z=[0.1, 0.1], steps=20, record_every=10)
    run = measure_run(TWO_CLASSES, training, PopulationMeasure())
    z = run.trajectory["z"][:, 0, :, 0]
    np.testing.assert_array_equal(run.series["largest_common"][:, 0], z[..., 0])
    np.testing.assert_array_equal(run.series["smallest_distinct"][:, 0], z[..., 1:7].min(-1))
    assert run.series["largest_common"][-1].max() < 0 < run.series["smallest_distinct"][-1].min()


@pytest.mark.parametrize("residual", [False, True])
def test_overlaps_are_inner_products_of_decoder_inputs(residual):
    training = Population(eta_Y=[1], eta_Z=[0.1], steps=2, residual=residual)
    run = measure_run(TWO_QUERIES, training, TokenLogits())
    vectors = TWO_QUERIES.probabilities[0].copy()
    for n, token in enumerate([5, 5, 6, 6]):
        vectors[n, token] += residual
    cosines = [[x @ y / np.linalg.norm(x) / np.linalg.norm(y) for y in vectors] for x in vectors]
    np.testing.assert_allclose(run.series["overlaps"][2, 0, 0], cosines)
    np.testing.assert_array_equal(run.series["token_logits"][..., 0], run.trajectory["z"][..., 0, 0])


def test_backpropagation_measure_solves_theorem_1():
    problem = OverlappingClassesSource(classes=3, common=9, distinct=7, overlap=0.05).build()
    run = measure_run(problem, DecoderTraining(eta_Y=0.5, seed=4, steps=300, record_every=100), Backpropagation())
    P, series = problem.probabilities[0], run.series
    F = (P / np.linalg.norm(P, axis=1, keepdims=True)).T
    E = np.eye(3) - np.linalg.inv(F.T @ F)
    speed = series["speed"][-1, 0, 0]
    beta = np.zeros((3, 3))
    beta[~np.eye(3, dtype=bool)] = series["beta"][-1, 0]
    beta *= E
    iota = series["iota"][-1, 0] * (1 - np.diag(E))
    # The decoder again, class by class from the drawn order, by least squares instead of a solved system.
    classes = np.random.default_rng(4).integers(3, size=300)
    Y, directions = np.zeros((len(F), len(F))), F @ np.linalg.inv(F.T @ F)
    for n in classes:
        weights = np.exp(F[:, n] @ Y)
        Y += 0.5 * np.outer(directions[:, n], np.eye(len(F))[n] - weights / weights.sum())
    for n in range(3):
        weights = np.exp(F[:, n] @ Y)
        g = Y @ (np.eye(len(F))[n] - weights / weights.sum())
        np.testing.assert_allclose(speed * (iota[n] * F[:, n] - F @ beta[n]), g, atol=1e-12)
        np.testing.assert_allclose(series["xi"][-1, 0, n], -F[:, n] @ (g - speed * iota[n] * F[:, n]), atol=1e-12)
    assert series["row_error"][-1, 0, 0] < 1e-12
    np.testing.assert_allclose(series["own_correction"][-1, 0], np.diag(E), atol=1e-14)
    np.testing.assert_array_equal(run.trajectory["drawn"][-1, 0, 0], np.bincount(classes, minlength=3))


def test_coefficients_are_in_the_ratio_of_their_limits_where_classes_come_in_turns():
    """After whole rounds all are off by the same factor, which tends to 1 as h* does to h."""
    problem = RandomClassesSource(seeds=[0], classes=3, common=2, distinct=9).build()
    training = DecoderTraining(eta_Y=0.5, order="turns", steps=6000, record_every=300)
    series = measure_run(problem, training, Backpropagation()).series
    relative = np.concatenate([series[name] / series[f"{name}_limit"] for name in ("iota", "beta")], axis=-1)[1:, 0]
    np.testing.assert_allclose(relative, np.broadcast_to(relative[:, :1], relative.shape), rtol=1e-9)
    assert abs(relative[-1, 0] - 1) < 0.01 < np.abs(series["beta_limit"] - 1).min()


def test_lemmas_16_and_17_hold_on_random_classes():
    """The diagonal of E' is never positive, and E' is at most |E| / (1 - |E|) for eigenvalues |E| < 1."""
    for P in RandomClassesSource(seeds=list(range(5)), classes=4, common=1, distinct=6).build().probabilities:
        F = span_dynamics.class_vectors(P)
        correction, size = span_dynamics.correction(F), np.linalg.norm(span_dynamics.gram_deviation(F), 2)
        assert np.all(np.diag(correction) < 0)
        assert size < 1
        assert np.linalg.norm(correction, 2) <= size / (1 - size) * (1 + 1e-12)


def test_growth_stages_agree_with_high_precision():
    """Gamma, and the rates of Lemma 9 and Theorem 4, from the root of equation 45 with fifty digits."""
    M, K, eta_Y, eta_Z = 100, 3, 2.0, 0.5
    training = Growth(eta_Y=[eta_Y], eta_Z=[eta_Z], unit="snapping_start", until=4, points=8)
    run = measure_run(VocabularySource(M=M, K=K).build(), training, GrowthStages())
    with mpmath.workdps(50):
        omega = mpmath.findroot(lambda w: M**w - (1 + w) * mpmath.log(M) * (M - 1) / M, 0.4)
        t0 = 2 * (1 + omega) * K * mpmath.log(M) / eta_Y
        for row, step in enumerate(run.steps):
            if step == 0:
                continue
            t = t0 * float(step)
            progress = eta_Y * t / K
            total = M * progress + 1
            x = mpmath.findroot(lambda x, total=total: mpmath.exp(x) + (M - 1) * x - total, mpmath.log(total))
            speed = (M - 1) ** 2 * (x / M) / (M - 1 + mpmath.exp(x))
            B = mpmath.log(1 + 2 * eta_Z / eta_Y * K * ((M - 1) * x / M) ** 2) / 4
            early = t < K * mpmath.log(M) / eta_Y
            rate = progress if early else mpmath.log(M * progress) / progress
            branch = progress / M if early else mpmath.log(M * progress) / M
            expected = {"speed": speed, "printed_exponent": B, "snapping_start": t0}
            if early or step >= 1:
                expected["speed_rate"] = rate
                expected["exponent_rate"] = mpmath.log(1 + 2 * eta_Z / eta_Y * K * ((M - 1) * branch) ** 2) / 4
            if step >= 1:
                expected["late_rate"] = mpmath.log(progress) / progress
            for name, value in expected.items():
                np.testing.assert_allclose(run.series[name][row, 0, 0], float(value), rtol=1e-12, err_msg=name)


def test_attention_on_long_sequences_tends_to_its_limit():
    """Lemmas 2 and 18: X'b to c_n and X'diag(b)X to diag(c_n), as T^(-1/2); Hoeffding's inequality for the shares."""
    rng, lengths, samples = np.random.default_rng(0), (64, 256, 1024), 200
    data = published_classes(num_last=2, num_next_per_last=1)
    Z = rng.standard_normal((len(data.queries), data.probabilities.shape[1]))
    for k, (P, limit) in enumerate(zip(data.probabilities, composition(data, Z), strict=True)):
        P, z, limit = P[data.support[k]], Z[data.query_index[k], data.support[k]], limit[data.support[k]]
        errors, inside = np.empty((len(lengths), samples, 2)), np.empty((len(lengths), samples), bool)
        for row, T in enumerate(lengths):
            radius = np.sqrt(np.log(2 * len(P) / 0.05) / (2 * T))
            for sample in range(samples):
                X = np.eye(len(P))[rng.choice(len(P), T, p=P)]
                b = np.exp(X @ z) / np.exp(X @ z).sum()
                errors[row, sample] = np.linalg.norm(X.T @ b - limit), np.linalg.norm((X.T * b) @ X - np.diag(limit), 2)
                inside[row, sample] = np.abs(X.mean(0) - P).max() <= radius
        means = errors.mean(1)
        assert (np.diff(means, axis=0) < 0).all()
        slopes = np.polyfit(np.log(lengths), np.log(means), 1)[0]
        np.testing.assert_allclose(slopes, -0.5, atol=0.05)
        assert inside.mean(1).min() >= 0.95
