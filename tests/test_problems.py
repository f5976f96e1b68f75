"""Problems: the published data come back, and sizes are known before anything is built."""

import json
from pathlib import Path

import numpy as np
import pytest

from attention_dynamics.problems import gaussian_clusters, labelled_tokens, random_sphere, scored_tokens
from attention_dynamics.problems.problem import Problem

FIG1C_TOKENS = Path(__file__).parent / "data" / "fig1c_tokens.json"
FIG1C = {
    "centres": [[1, 0], [-1, 1], [-1, 1], [-1, 1], [-0.5, -0.5], [-0.5, -0.5], [-0.5, -0.5]],
    "scores": [1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5],
    "n": 3,
    "spread": 0.2,
    "seed": 0,
}
SCORED = {
    "inputs": [
        {"tokens": [[0, 0], [1, 1], [2, 3]], "scores": [0, "C", -1.5], "label": 1},
        {"tokens": [[4, 5], [1, -1], [0, 7]], "scores": ["D", 1, 0.25], "label": -1},
    ],
    "settings": {"C": [1, 2, 0.5, 10], "D": [3, -3, 3, -3]},
}
LABELLED = {
    "inputs": [
        {"tokens": [[1, 1], [0, 0]], "label": 1},
        {"tokens": [[1, -1], [0, 0]], "label": -1},
        {"tokens": [[0.5, 1], [2, 2]], "label": 1},
    ]
}
SPHERE = {"trials": 5, "n": 3, "T": 4, "d": 6, "seed": 7}
KINDS = [(gaussian_clusters, FIG1C), (scored_tokens, SCORED), (labelled_tokens, LABELLED), (random_sphere, SPHERE)]
NAMES = [module.__name__.rpartition(".")[2] for module, _ in KINDS]


def without_settings(*scores: list) -> dict:
    return {"inputs": [{"tokens": [[0, 0]] * len(s), "scores": s, "label": 1} for s in scores]}


@pytest.mark.parametrize(("module", "arguments"), KINDS, ids=NAMES)
def test_the_shape_is_that_of_what_is_built(module, arguments):
    built, shape = module.build(**arguments), module.shape(**arguments)
    assert built.tokens.shape == shape[:4]
    assert built.labels.shape == built.optimal.shape == shape[:2]
    assert (built.head is not None) == shape.fixed_head
    if shape.fixed_head:
        assert built.head.shape == (shape.problems, shape.dimension)


@pytest.mark.parametrize(("module", "arguments"), KINDS, ids=NAMES)
def test_a_problem_survives_being_stored(module, arguments):
    problem = module.build(**arguments)
    arrays = problem.to_arrays()
    again = Problem.from_arrays(arrays)
    assert again.settings.keys() == problem.settings.keys() == set(module.shape(**arguments).settings)
    assert again.to_arrays().keys() == arrays.keys()
    for name, array in again.to_arrays().items():
        np.testing.assert_array_equal(array, arrays[name])
    assert (again.head is None) == (problem.head is None)


@pytest.mark.parametrize(
    ("module", "arguments", "message"),
    [
        (gaussian_clusters, FIG1C | {"scores": [1, 0.5]}, "2 numbers for 7 centres"),
        (labelled_tokens, {"inputs": [*LABELLED["inputs"], {"tokens": [[0, 0]], "label": 1}]}, r"\[2, 2, 2, 1\]"),
        (scored_tokens, without_settings([1, 2], [1, 2, 3]), r"\[2, 3\]"),
        (scored_tokens, {"inputs": [SCORED["inputs"][0] | {"scores": [1, 2]}]}, "2 scores for 3 tokens"),
        (scored_tokens, SCORED | {"settings": {"C": [1, 2], "D": [1]}}, r"different lengths, \[1, 2\]"),
        (scored_tokens, SCORED | {"settings": {"C": [1]}}, "'D'"),
        (scored_tokens, {"inputs": SCORED["inputs"]}, "'C'"),
    ],
)
def test_contradictions_are_refused_before_and_while_building(module, arguments, message):
    for function in (module.shape, module.build):
        with pytest.raises(ValueError, match=message):
            function(**arguments)


def test_the_published_tokens_come_back():
    problem = gaussian_clusters.build(**FIG1C)
    np.testing.assert_allclose(problem.tokens[0], json.loads(FIG1C_TOKENS.read_text()), rtol=0, atol=1e-6)
    np.testing.assert_array_equal(problem.labels, np.ones((1, 3)))
    np.testing.assert_array_equal(problem.optimal, np.zeros((1, 3)))


def test_another_seed_gives_other_tokens():
    one, other = (gaussian_clusters.build(**FIG1C | {"seed": seed}).tokens for seed in (0, 1))
    assert np.abs(one - other)[..., :2].min() > 0


def test_clusters_lie_around_their_centres():
    problem = gaussian_clusters.build(**FIG1C | {"n": 4000})
    noise = problem.keys[0, ..., :2] - FIG1C["centres"]
    assert abs(noise.std() - 0.2) < 0.002
    assert np.abs(noise.mean(0)).max() < 0.02


def test_planar_keys_are_the_positions_and_scores_are_as_given():
    problem = scored_tokens.build(**SCORED)
    for k in range(4):
        for i, one in enumerate(SCORED["inputs"]):
            np.testing.assert_array_equal(problem.keys[k, i, :, :2], one["tokens"])
            named = {name: values[k] for name, values in SCORED["settings"].items()}
            np.testing.assert_array_equal(problem.scores()[k, i], [named.get(score, score) for score in one["scores"]])
    assert not problem.keys[..., 2].any()
    np.testing.assert_array_equal(problem.labels, [[1, -1]] * 4)


def test_the_optimal_token_scores_highest_and_the_first_one_wins_a_tie():
    assert scored_tokens.build(**SCORED).optimal.tolist() == [[1, 0], [1, 1], [1, 0], [1, 1]]
    assert scored_tokens.build(**without_settings([0, 2, 2], [3, 3, 3])).optimal.tolist() == [[1, 0]]


def test_labelled_tokens_have_no_head_and_their_first_token_is_optimal():
    problem = labelled_tokens.build(**LABELLED)
    np.testing.assert_array_equal(problem.keys[0], [one["tokens"] for one in LABELLED["inputs"]])
    np.testing.assert_array_equal(problem.labels, [[1, -1, 1]])
    assert problem.optimal.tolist() == [[0, 0, 0]]
    with pytest.raises(ValueError, match="trains its head"):
        problem.scores()
    np.testing.assert_array_equal(problem.scores(np.array([[2.0, 1.0]]))[0], [[3, 0], [-1, 0], [2, 6]])


def test_random_tokens_and_heads_have_unit_norm():
    problem = random_sphere.build(**SPHERE)
    np.testing.assert_allclose(np.linalg.norm(problem.tokens, axis=-1), 1, rtol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(problem.head, axis=-1), 1, rtol=1e-12)
    np.testing.assert_array_equal(problem.keys, problem.tokens)
    np.testing.assert_array_equal(problem.optimal, problem.scores().argmax(-1))


def test_random_tokens_are_uniform_and_labels_are_fair():
    problem = random_sphere.build(trials=400, n=10, T=4, d=3, seed=0)
    # Each coordinate of a uniform point on the sphere in three dimensions has mean 0 and variance 1/3.
    assert np.abs(problem.tokens.mean((0, 1, 2))).max() < 0.02
    np.testing.assert_allclose(np.square(problem.tokens).mean((0, 1, 2)), 1 / 3, atol=0.01)
    assert set(np.unique(problem.labels)) == {-1.0, 1.0}
    assert abs(problem.labels.mean()) < 0.05


def test_a_trial_does_not_depend_on_how_many_there_are():
    few, many = (random_sphere.build(**SPHERE | {"trials": trials}) for trials in (2, 9))
    for name, array in few.to_arrays().items():
        expected = many.to_arrays()[name]
        np.testing.assert_array_equal(array, expected if name == "key_weights" else expected[:2])
    assert np.abs(many.tokens[0] - many.tokens[1]).min() > 0
