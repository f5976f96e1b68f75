"""The data of Fast rates: geometry, order of the batch, independence of the data sets, sizes, refusals."""

import numpy as np
import pytest
from pydantic import ValidationError

from attention_dynamics.problems.nearly_orthogonal import NearlyOrthogonal
from attention_dynamics.problems.problem import Problem

SMALL = {"seeds": [0, 7], "n": 6, "T": 4, "d": 30}
VARIANTS = [
    {}, {"antipodal": True}, {"sigma": 0.5}, {"sigma": [0, 0.5]}, {"d": [30, 8]}, {"projected": False},
    {"projected": [True, False]}, {"noise_query": True, "norm": 2.0, "head_start": 0.01}, {"start_norms": [0, 1, 10]},
    {"n": 5},
]  # fmt: skip


def best(problem):
    return np.take_along_axis(problem.tokens, problem.optimal[..., None, None], axis=2)[:, :, 0]


def others(problem):
    at = np.arange(problem.tokens.shape[2]) != problem.optimal[..., None]
    return problem.tokens[at].reshape(len(problem.tokens), -1, problem.tokens.shape[-1])


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_shape_matches_built_problem(variant):
    source = NearlyOrthogonal(**SMALL | variant)
    built, shape = source.build(), source.shape
    assert built.tokens.shape == (shape.problems, shape.inputs, shape.tokens, shape.dimension)
    assert built.keys.shape == (shape.problems, shape.inputs, shape.tokens, shape.key_dimension)
    assert (built.head is not None) == shape.fixed_head
    assert {name: starts.shape[1] for name, starts in built.starts.items()} == shape.starts
    assert {name: set(values) for name, values in built.settings.items()} == {
        k: set(v) for k, v in shape.settings.items()
    }
    arrays = built.to_arrays()
    again = Problem.from_arrays(arrays).to_arrays()
    assert again.keys() == arrays.keys()
    assert all(np.array_equal(again[name], array) for name, array in arrays.items())


@pytest.mark.parametrize(("antipodal", "product"), [(False, 0.0), (True, -4.0)])
def test_optimal_tokens_are_two_class_tokens(antipodal, product):
    problem = NearlyOrthogonal(**SMALL, antipodal=antipodal, norm=2.0).build()
    gram = best(problem) @ best(problem).swapaxes(1, 2)
    same = problem.labels[:, :, None] == problem.labels[:, None]
    np.testing.assert_allclose(gram, np.where(same, 4.0, product), atol=1e-12)
    assert problem.labels[0].tolist() == [1, 1, 1, -1, -1, -1]


def test_scores_are_one_and_zero():
    for antipodal in (False, True):
        scores = NearlyOrthogonal(**SMALL, antipodal=antipodal).build().scores()
        np.testing.assert_allclose(np.sort(scores, axis=-1), np.broadcast_to([0, 0, 0, 1], scores.shape), atol=1e-12)
    unequal = np.sort(NearlyOrthogonal(**SMALL, projected=False).build().scores(), axis=-1)
    np.testing.assert_allclose(unequal[..., -1], 1, atol=1e-12)
    assert np.ptp(unequal[..., :-1], axis=-1).min() > 1e-3


def test_noise_has_unit_expected_length_and_is_orthogonal_to_classes():
    problem = NearlyOrthogonal(seeds=[3], n=40, T=6, d=200).build()
    assert np.abs(others(problem) @ best(problem).swapaxes(1, 2)).max() < 1e-12
    np.testing.assert_allclose(np.square(others(problem)).sum(-1).mean(), 198 / 200, rtol=0.03)


def test_noise_of_size_sigma_is_added_to_optimal_tokens():
    quiet, loud = (NearlyOrthogonal(seeds=[3], n=40, T=6, d=200, sigma=s).build() for s in (0.0, 0.5))
    # Coordinates are of each problem's own span; lengths are not: 1 + sigma^2 on average.
    np.testing.assert_allclose(np.square(best(quiet)).sum(-1), 1, atol=1e-12)
    np.testing.assert_allclose(np.square(best(loud)).sum(-1).mean(), 1.25, rtol=0.05)


def test_keys_are_tokens_times_first_token():
    problem = NearlyOrthogonal(**SMALL).build()
    for tokens, keys in zip(problem.tokens, problem.keys, strict=True):
        flat, queries = tokens.reshape(24, -1), tokens[:, 0].repeat(4, axis=0)
        expected = (flat @ flat.T) * (queries @ queries.T)
        np.testing.assert_allclose(keys.reshape(24, -1) @ keys.reshape(24, -1).T, expected, atol=1e-12)


def test_query_can_be_noise():
    optimal = NearlyOrthogonal(seeds=list(range(20)), n=20, T=3, d=10, noise_query=True).build().optimal
    assert set(np.unique(optimal)) == {1, 2}
    assert set(np.unique(NearlyOrthogonal(seeds=list(range(20)), n=20, T=3, d=10).build().optimal)) == {0, 1, 2}


def test_starts_have_requested_norms():
    problem = NearlyOrthogonal(**SMALL, start_norms=[0, 1, 10]).build()
    np.testing.assert_allclose(np.linalg.norm(problem.starts["p"], axis=-1), [[0, 1, 10]] * 2, atol=1e-12)
    joint = NearlyOrthogonal(**SMALL, head_start=0.01).build()
    np.testing.assert_allclose(np.linalg.norm(joint.starts["v"], axis=-1), 0.01, rtol=1e-12)


def test_data_set_depends_only_on_own_seed_and_setting():
    batch = NearlyOrthogonal(seeds=[4, 7], n=6, T=4, d=[30, 8], sigma=[0, 1]).build()
    assert batch.settings["seed"].tolist() == [4] * 4 + [7] * 4
    assert batch.settings["d"].tolist() == [30, 30, 8, 8] * 2
    assert batch.settings["sigma"].tolist() == [0, 1] * 4
    for row in range(8):
        seed, d, sigma = (batch.settings[name][row] for name in ("seed", "d", "sigma"))
        alone = NearlyOrthogonal(seeds=[int(seed)], n=6, T=4, d=int(d), sigma=float(sigma)).build()
        width = alone.tokens.shape[-1]
        assert np.array_equal(batch.tokens[row, ..., :width], alone.tokens[0])
        assert not batch.tokens[row, ..., width:].any()
        assert np.array_equal(batch.keys[row], alone.keys[0])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"seeds": [1, 1]}, "seeds: a value is listed twice"),
        ({"sigma": [0.5, 0.5]}, "sigma: a value is listed twice"),
        ({"d": [8, 8]}, "d: a value is listed twice"),
        ({"T": 1}, "T and d: must be at least 2 and 3, got 1 and 30"),
        ({"d": 2}, "T and d: must be at least 2 and 3, got 4 and 2"),
    ],
)
def test_contradictory_settings_are_refused(wrong, message):
    with pytest.raises(ValidationError, match=message):
        NearlyOrthogonal(**SMALL | wrong)
