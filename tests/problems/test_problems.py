"""Sources of problems: the published data come back, and sizes are known before anything is built."""

import json
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_dynamics.problems import stored
from attention_dynamics.problems.equal_labels import EqualLabels
from attention_dynamics.problems.gaussian_clusters import GaussianClusters
from attention_dynamics.problems.labelled_sequences import LabelledSequences
from attention_dynamics.problems.labelled_tokens import LabelledTokens
from attention_dynamics.problems.left_out_input import LeftOutInput
from attention_dynamics.problems.nearly_orthogonal import NearlyOrthogonal
from attention_dynamics.problems.orthogonal_constraints import OrthogonalConstraints
from attention_dynamics.problems.problem import outer_keys, with_fixed_head
from attention_dynamics.problems.queries_near_svm import QueriesNearSVM
from attention_dynamics.problems.random_queries import RandomQueries
from attention_dynamics.problems.random_sphere import RandomSphere
from attention_dynamics.problems.scored_tokens import ScoredTokens
from attention_dynamics.problems.source import ProblemSource
from attention_dynamics.problems.spans import span_coordinates
from attention_dynamics.sequences.problems.sampled_sequences import SampledSequencesSource
from attention_dynamics.sequences.problems.vocabulary import VocabularySource
from conftest import ROOT
from helpers.refusals import assert_refused

some = settings(deadline=None, max_examples=40, derandomize=True)
FIG1C_TOKENS = ROOT / "tests/data/fig1c_tokens.json"
FIG1C = {
    "centres": [[1, 0], *3 * [[-1, 1]], *3 * [[-0.5, -0.5]]], "scores": [1, *6 * [0.5]], "n": 3, "spread": 0.2,
    "seed": 0,
}  # fmt: skip
SCORED = {
    "inputs": [
        {"tokens": [[0, 0], [1, 1], [2, 3]], "scores": [0, "C", -1.5], "label": 1},
        {"tokens": [[4, 5], [1, -1], [0, 7]], "scores": ["D", 1, 0.25], "label": -1},
    ],
    "settings": {"C": [1, 2, 0.5, 10], "D": [3, -3, 3, -3]},
}
LABELLED = {
    "inputs": [
        {"tokens": tokens, "label": label}
        for tokens, label in (([[1, 1], [0, 0]], 1), ([[1, -1], [0, 0]], -1), ([[0.5, 1], [2, 2]], 1))
    ]
}
SPHERE = {"trials": 5, "n": 3, "T": 4, "d": 6, "seed": 7}
MANY = {"trials": 22, "n": 4, "T": 6, "d": [2, 10, 100], "seed": 3, "first": 0}
QUERIES = {"datasets": 2, "n": 3, "T": 4, "d": 5}
ORTHOGONAL = {"seeds": [0, 7], "n": 6, "T": 4, "d": 30}
LEFT_OUT = {"datasets": 6, "n": 6, "T": 4, "d": 8, "norm": 1.5, "multiple": 100}
SIZES = {"num_last": 2, "num_next_per_last": 1, "seeds": [3, 5], "steps": 4, "batch": 8, "length": 16, "draws": "fast"}
TOKEN_SOURCES = [
    GaussianClusters(**FIG1C),
    ScoredTokens(**SCORED),
    ScoredTokens(inputs=[{"tokens": [[0, 1], [2, 3]], "scores": [1, 0.5]}]),
    LabelledTokens(**LABELLED),
    LabelledSequences(**LABELLED),
    RandomSphere(**SPHERE),
    EqualLabels(**SPHERE),
    RandomSphere(**SPHERE | {"d": [2, 3, 50], "first": 3}),
    RandomQueries(**QUERIES, replications=[0, 2], exponents=[1.75, 3.0]),
    QueriesNearSVM(**QUERIES | {"datasets": 1}, exponents=[2.0, 3.0], norm=2.0, perturbation=0.5),
    NearlyOrthogonal(**ORTHOGONAL),
    NearlyOrthogonal(**ORTHOGONAL | {"d": [30, 8], "n": 5}, sigma=[0.0, 0.5], start_norms=[0.0, 1.0, 10.0]),
    NearlyOrthogonal(**ORTHOGONAL, antipodal=True, projected=[True, False], noise_query=True, norm=2.0, head_start=0.1),
    OrthogonalConstraints(**ORTHOGONAL),
    LeftOutInput(**LEFT_OUT),
]
SOURCES = [*TOKEN_SOURCES, SampledSequencesSource(**SIZES), VocabularySource(M=50, K=3)]


def name_of(value: object) -> str | None:
    return value.kind if isinstance(value, ProblemSource) else None


def without_settings(*scores: list) -> dict:
    return {"inputs": [{"tokens": [[0, 0]] * len(s), "scores": s, "label": 1} for s in scores]}


@pytest.mark.parametrize("source", TOKEN_SOURCES, ids=name_of)
def test_shape_matches_built_problem(source):
    built, shape = source.build(), source.shape
    assert built.tokens.shape == (shape.problems, shape.inputs, shape.tokens, shape.dimension)
    assert built.labels.shape == built.optimal.shape == (shape.problems, shape.inputs)
    assert built.keys.shape[-1] == (shape.key_dimension or shape.dimension)
    assert (built.head is not None) == shape.fixed_head
    if shape.fixed_head:
        assert built.head.shape == (shape.problems, shape.dimension)
    if shape.planar:
        assert not built.keys[..., 2:].any()
    assert {name: values.shape[1] for name, values in built.starts.items()} == shape.starts
    assert all(len(values) == shape.problems for values in built.settings.values())
    assert {name: set(values) for name, values in built.settings.items()} == {
        name: set(values) for name, values in shape.settings.items()
    }


@pytest.mark.parametrize("source", [NearlyOrthogonal(**ORTHOGONAL), LeftOutInput(**LEFT_OUT)], ids=name_of)
def test_keys_are_tokens_times_first_token(source):
    problem = source.build()
    for tokens, keys in zip(problem.tokens, problem.keys, strict=True):
        flat, queries = tokens.reshape(24, -1), tokens[:, 0].repeat(4, axis=0)
        expected = (flat @ flat.T) * (queries @ queries.T)
        np.testing.assert_allclose(keys.reshape(24, -1) @ keys.reshape(24, -1).T, expected, atol=1e-12)


def test_shape_of_sequences_matches_built_problem():
    source = SampledSequencesSource(**SIZES)
    built, shape = source.build(), source.shape
    assert built.labels.shape == (shape.problems, shape.batches, shape.batch)
    assert set(built.counts.sum(-1).flat) == {shape.length - 1}
    assert built.classes.probabilities.shape[1] == shape.vocabulary_size
    assert tuple(built.settings["seed"]) == shape.settings["seed"]
    assert VocabularySource(M=50).shape.problems == len(VocabularySource(M=50).build().M)


@pytest.mark.parametrize("source", SOURCES, ids=name_of)
def test_source_and_data_survive_storage(source):
    assert ProblemSource.of(json.loads(source.model_dump_json())) == source
    assert source.shard(1, 1) == source
    assert source.max_shards == (5 if isinstance(source, RandomSphere) else 1)
    data = source.build()
    arrays = data.to_arrays()
    again = stored.from_arrays(arrays)
    assert type(again) is type(data)
    assert str(arrays["kind"]) == data.KIND == source.shape.data
    assert again.settings.keys() == data.settings.keys()
    assert again.to_arrays().keys() == arrays.keys()
    for name, array in again.to_arrays().items():
        np.testing.assert_array_equal(array, arrays[name])


def test_stored_data_of_unknown_kind_are_refused():
    with pytest.raises(ValueError, match=r"has no array 'kind', only \['step'\]; delete it"):
        stored.from_arrays({"step": np.zeros(3)})
    with pytest.raises(ValueError, match=r"data of kind 'sounds' are unknown, only tokens, .*; delete the file"):
        stored.from_arrays({"kind": np.array("sounds")})


LONELY, TWICE = {"tokens": [[0, 0]], "label": 1}, "a value is listed twice"
SAME_NUMBER = r"inputs: all inputs must have the same number of tokens, got \[2, 2, 2, 1\]"
REFUSALS = [
    (GaussianClusters, FIG1C | {"scores": [1, 0.5]}, "scores: needs one number per centre, 7 in all, got 2"),
    (LabelledTokens, {"inputs": [*LABELLED["inputs"], LONELY]}, SAME_NUMBER),
    (LabelledSequences, {"inputs": [*LABELLED["inputs"], LONELY]}, "inputs: all inputs"),
    (ScoredTokens, without_settings([1, 2], [1, 2, 3]), r"same number of tokens, got \[2, 3\]"),
    (ScoredTokens, {"inputs": [SCORED["inputs"][0] | {"scores": [1, 2]}]}, "an input has 2 scores but 3 tokens"),
    (ScoredTokens, SCORED | {"settings": {"C": [1, 2], "D": [1]}},
     r"settings: all lists must have the same length, got \[1, 2\]"),
    (ScoredTokens, SCORED | {"settings": {"C": [1]}}, r"inputs: score 'D' is not one of the settings \['C'\]"),
    (ScoredTokens, {"inputs": SCORED["inputs"]}, "'C'"),
    (RandomSphere, SPHERE | {"d": [2, 5, 2]}, r"d: a dimension is listed twice in \[2, 5, 2\]"),
    (RandomQueries, QUERIES | {"replications": [1, 1]}, f"replications: {TWICE}"),
    (RandomQueries, QUERIES | {"exponents": [2.0, 2.001]}, f"exponents: {TWICE}"),
    (QueriesNearSVM, QUERIES | {"exponents": [2.0, 2.0], "norm": 1.0, "perturbation": 0.0}, f"exponents: {TWICE}"),
    *((NearlyOrthogonal, ORTHOGONAL | {name: values}, f"{name}: {TWICE}")
      for name, values in (("seeds", [1, 1]), ("sigma", [0.5, 0.5]), ("d", [8, 8]))),
    (NearlyOrthogonal, ORTHOGONAL | {"T": 1}, "T and d: must be at least 2 and 3, got 1 and 30"),
    (NearlyOrthogonal, ORTHOGONAL | {"d": 2}, "T and d: must be at least 2 and 3, got 4 and 2"),
    (LeftOutInput, LEFT_OUT | {"n": 1}, "n and T: need 2 or more, got 1 and 4"),
    (SampledSequencesSource, SIZES | {"seeds": [1, 1]}, rf"seeds: {TWICE} in \[1, 1\]"),
    (SampledSequencesSource, SIZES | {"length": 1}, "length: must be at least 2, .* got 1"),
    (VocabularySource, {"M": 3}, "greater than or equal to 4"),
    *((lambda number, count: RandomSphere(**SPHERE).shard(number, count), {"number": number, "count": count},
       f"shard {number}-of-{count}") for number, count in ((0, 3), (4, 3), (1, 6))),
]  # fmt: skip


def test_contradictory_settings_are_refused():
    assert_refused((partial(kind, **arguments), message) for kind, arguments, message in REFUSALS)


def test_sampling_names_what_is_drawn():
    assert RandomSphere(**SPHERE, first=2).sampling == {"seed": 7, "first": 2, "d": 6}
    assert RandomQueries(**QUERIES).sampling == {"first_seed": 1, "d": 5, "replications": [0]}
    assert SampledSequencesSource(**SIZES).sampling == {"seeds": [3, 5]}
    assert ScoredTokens(**SCORED).sampling == VocabularySource(M=50).sampling == {}


def test_published_tokens_are_reproduced_and_lie_around_their_centres():
    problem, other, many = (GaussianClusters(**FIG1C | one).build() for one in ({}, {"seed": 1}, {"n": 4000}))
    np.testing.assert_allclose(problem.tokens[0], json.loads(FIG1C_TOKENS.read_text()), rtol=0, atol=1e-6)
    np.testing.assert_array_equal(problem.labels, np.ones((1, 3)))
    np.testing.assert_array_equal(problem.optimal, np.zeros((1, 3)))
    assert np.abs(problem.tokens - other.tokens)[..., :2].min() > 0
    noise = many.keys[0, ..., :2] - FIG1C["centres"]
    assert abs(noise.std() - 0.2) < 0.002
    assert np.abs(noise.mean(0)).max() < 0.02


def test_planar_keys_are_positions_scores_are_given_and_the_highest_is_optimal():
    problem = ScoredTokens(**SCORED).build()
    for k in range(4):
        for i, one in enumerate(SCORED["inputs"]):
            np.testing.assert_array_equal(problem.keys[k, i, :, :2], one["tokens"])
            named = {name: values[k] for name, values in SCORED["settings"].items()}
            np.testing.assert_array_equal(problem.scores()[k, i], [named.get(score, score) for score in one["scores"]])
    assert not problem.keys[..., 2].any()
    np.testing.assert_array_equal(problem.labels, [[1, -1]] * 4)
    # The highest score is optimal, and the first wins a tie.
    assert problem.optimal.tolist() == [[1, 0], [1, 1], [1, 0], [1, 1]]
    assert ScoredTokens(**without_settings([0, 2, 2], [3, 3, 3])).build().optimal.tolist() == [[1, 0]]
    with pytest.raises(ValueError, match="read-only"):
        problem.scores()[0, 0, 0] = 1


def test_labelled_tokens_have_no_head_and_their_first_token_is_optimal():
    problem = LabelledTokens(**LABELLED).build()
    np.testing.assert_array_equal(problem.keys[0], [one["tokens"] for one in LABELLED["inputs"]])
    np.testing.assert_array_equal(problem.labels, [[1, -1, 1]])
    assert problem.optimal.tolist() == [[0, 0, 0]]
    with pytest.raises(ValueError, match="no fixed head"):
        problem.scores()
    np.testing.assert_array_equal(problem.scores(np.array([[2.0, 1.0]]))[0], [[3, 0], [-1, 0], [2, 6]])


def test_random_tokens_are_uniform_on_sphere_and_labels_are_fair():
    problem = RandomSphere(trials=400, n=10, T=4, d=3, seed=0).build()
    np.testing.assert_array_equal(problem.keys, problem.tokens)
    np.testing.assert_array_equal(problem.optimal, problem.scores().argmax(-1))
    # Each coordinate of a uniform point on the sphere in three dimensions has mean 0 and variance 1/3.
    assert np.abs(problem.tokens.mean((0, 1, 2))).max() < 0.02
    np.testing.assert_allclose(np.square(problem.tokens).mean((0, 1, 2)), 1 / 3, atol=0.01)
    assert set(np.unique(problem.labels)) == {-1.0, 1.0}
    assert abs(problem.labels.mean()) < 0.05
    # In many dimensions, coordinates are of the span of all 24 tokens and the head.
    large = RandomSphere(trials=200, n=4, T=6, d=500, seed=0).build()
    assert large.tokens.shape == (200, 4, 6, 25)
    for vectors in (problem.tokens, problem.head, large.tokens, large.head):
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=-1), 1, rtol=1e-12)
    # Inner products of independent unit vectors have variance 1/d.
    flat = large.tokens.reshape(200, 24, 25)
    products = (flat @ flat.swapaxes(1, 2))[:, *np.triu_indices(24, 1)]
    assert products.var() == pytest.approx(1 / 500, rel=0.05)
    assert (large.tokens @ large.head[:, None, :, None]).var() == pytest.approx(1 / 500, rel=0.1)


@some
@given(trials=st.integers(1, 60), first=st.integers(0, 9), data=st.data())
def test_shards_partition_trials_evenly(trials, first, data):
    source = RandomSphere(**SPHERE | {"trials": trials, "first": first})
    count = data.draw(st.integers(1, trials))
    shards = [source.shard(number, count) for number in range(1, count + 1)]
    taken = [trial for shard in shards for trial in range(shard.first, shard.first + shard.trials)]
    assert taken == list(range(first, first + trials))
    assert max(shard.trials for shard in shards) - min(shard.trials for shard in shards) <= 1


def test_trial_depends_only_on_number_and_dimension():
    problem = RandomSphere(**MANY).build()
    later = RandomSphere(**MANY | {"trials": 2, "first": 20, "d": 10}).build()
    of_ten = problem.settings["d"] == 10
    np.testing.assert_array_equal(problem.tokens[of_ten][20:, ..., :10], later.tokens)
    np.testing.assert_array_equal(problem.labels[of_ten][20:], later.labels)


def test_span_basis_preserves_lengths_and_angles():
    rng = np.random.default_rng(0)
    for m, d in ((5, 3), (5, 5), (5, 80)):
        points = rng.standard_normal((m, d))
        coordinates = span_coordinates(points)
        assert coordinates.shape == (m, min(m, d))
        np.testing.assert_allclose(coordinates @ coordinates.T, points @ points.T, atol=1e-13)


@pytest.mark.parametrize("scale", [1e200, 1e160, 1e-170, 1e-300])
def test_products_beyond_the_range_of_numbers_are_refused(scale):
    tokens, head = np.random.default_rng(0).standard_normal((2, 3, 4, 5)), np.ones((2, 5))
    expected = with_fixed_head(tokens, np.ones((2, 3)), np.eye(5), head).optimal
    for vectors, factor in ((tokens * scale, 1), (tokens, scale), (tokens * scale, 1 / scale)):
        found = with_fixed_head(vectors, np.ones((2, 3)), np.eye(5), head * factor).optimal
        np.testing.assert_array_equal(found, expected)
    with pytest.raises(ValueError, match="tokens and head: scores are"):
        with_fixed_head(tokens * scale, np.ones((2, 3)), np.eye(5), head * scale)
    with pytest.raises(ValueError, match="tokens and queries: their products"):
        outer_keys(tokens * scale, tokens[:, :, 0] * scale)
    # Scores of zero are in range.
    cancelling = np.array([[[[1.0, -1.0], [2.0, -2.0]]]])
    assert not with_fixed_head(cancelling * scale, [[1]], np.eye(2), np.ones((1, 2))).scores().any()
    assert not outer_keys(cancelling[0], np.zeros((1, 2))).any()
