"""Sequence classes and closed forms as problems and runs of the pipeline: what is stored, trained and measured."""

import numpy as np
import pytest

from attention_dynamics.claims.judge import measure_claim
from attention_dynamics.training import NumericalFailure
from attention_dynamics.measures import attention_growth, composition, logit_growth, recall
from attention_dynamics.problems import random_sphere, sampled_sequences, stored, vocabulary
from attention_dynamics.run import Run
from attention_dynamics.sequences import composition as formulas
from attention_dynamics.sequences import gradient as training
from attention_dynamics.sequences.classes import published_classes
from attention_dynamics.sequences.samples import draw
from attention_dynamics.theory.attention_growth import AttentionGrowth, crossing_time
from attention_dynamics.theory.growth_laws import h, h_star, scanning_end, snapping_start
from attention_dynamics.trainers import growth, sequence_training

SIZES = {"num_last": 2, "num_next_per_last": 2, "seeds": [3, 5], "steps": 6, "batch": 8, "length": 16, "draws": "fast"}
SPEC = {"eta_Y": [1.0, 4.0, 2.0], "eta_Z": [1.0, 1.0, 2.0], "algorithm": "sgd", "precision": "float64", "steps": 6,
        "record_every": 2, "record_digits": None}  # fmt: skip
RATES = {"eta_Y": [0.5, 1.0, 2.0], "eta_Z": [0.5, 0.5, 0.5]}


@pytest.fixture(scope="module")
def problem():
    return sampled_sequences.build(**SIZES, start="uniform")


@pytest.fixture(scope="module")
def run(problem):
    trajectory = sequence_training.train(problem, SPEC)
    run = Run(problem, {}, trajectory, SPEC)
    run.series.update(composition.measure(run) | recall.measure(run, thresholds=[0.5, 1, 1.5, 2]))
    return run


def test_a_run_that_diverges_names_its_seed(problem):
    with pytest.raises(NumericalFailure, match=r"^seed 3: loss is not finite at step 1 "):
        sequence_training.train(problem, SPEC | {"eta_Y": [np.inf]})


@pytest.mark.parametrize(
    "built",
    [
        lambda: sampled_sequences.build(**SIZES),
        lambda: vocabulary.build(M=50, K=3),
        lambda: random_sphere.build(n=2, T=3, d=4, seed=1, trials=2),
    ],
)
def test_a_stored_problem_is_what_it_was(built):
    problem = built()
    arrays = problem.to_arrays()
    again = stored.from_arrays(arrays)
    assert type(again) is type(problem)
    assert again.to_arrays().keys() == arrays.keys()
    for name, array in again.to_arrays().items():
        np.testing.assert_array_equal(array, arrays[name])


def test_arrays_of_no_problem_are_refused():
    with pytest.raises(ValueError, match="these arrays are no problem"):
        stored.from_arrays({"step": np.zeros(3)})


def test_every_seed_draws_for_itself(problem):
    alone = draw(
        published_classes(num_last=2, num_next_per_last=2), seed=5, steps=6, batch=8, T=16, mode="fast", start="uniform"
    )
    for ours, theirs in zip(problem.samples(1), alone, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert sampled_sequences.shape(**SIZES)[:4] == (2, 8, 16, 10 + 40 + 2 + 4)


@pytest.mark.parametrize(
    ("wrong", "message"), [({"seeds": [1, 1]}, "listed twice"), ({"length": 1}, "query token and one")]
)
def test_impossible_samples_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        sampled_sequences.shape(**SIZES | wrong)


def test_the_trajectory_is_that_of_every_seed_and_pair(problem, run):
    assert run.steps.tolist() == [0, 2, 4, 6]
    assert run.trajectory["Z"].shape == (4, 2, 3, 2, 56)
    for seed in range(2):
        for pair in range(3):
            rates = {"eta_Y": SPEC["eta_Y"][pair], "eta_Z": SPEC["eta_Z"][pair]}
            alone = training.train(problem.classes, problem.samples(seed), recorded=[0, 2, 4, 6], **rates)
            np.testing.assert_allclose(run.trajectory["Z"][:, seed, pair], alone["Z"][:, 0], rtol=1e-12, atol=1e-15)
            expected = [*alone["loss"][[0, 2, 4], 0], np.nan]
            np.testing.assert_allclose(run.trajectory["loss"][:, seed, pair], expected, rtol=1e-12)


def test_measures_are_of_the_shares(problem, run):
    c = formulas.composition(problem.classes, run.trajectory["Z"])
    own = c[..., 0, 10:20] / c[..., 0, 10:20].sum(-1, keepdims=True)
    np.testing.assert_array_equal(run.series["token_shares"], c)
    np.testing.assert_array_equal(run.series["top_token"], own.argmax(-1))
    np.testing.assert_allclose(run.series["mean_token"], own @ np.arange(10))
    np.testing.assert_allclose(run.series["common_mass"], c[..., :10].sum(-1).mean(-1))
    largest = run.trajectory["Z"][..., :10].max((-1, -2))
    np.testing.assert_array_equal(run.series["largest_common_logit"], largest)
    worst = [(np.diff(c[..., n, 10 + 10 * n : 20 + 10 * n]) > 0).sum(-1) for n in range(4)]
    np.testing.assert_array_equal(run.series["ordered_pairs"], np.min(worst, axis=0))
    np.testing.assert_allclose(run.series["recall_drop"], run.series["recall"][..., 0] - run.series["recall"][..., -1])


def claim(series, statistic, **more):
    return {"run": "run", "series": series, "statistic": statistic, **more}


def test_claims_for_each_start_are_about_its_seeds(run):
    last = run.series["distinct_entropy"][-1]
    numbers = measure_claim(claim("distinct_entropy", "mean", step=6, each_start=True), {"run": run})
    np.testing.assert_allclose([number.value for number in numbers], last.mean(0))
    deviations = measure_claim(
        claim("distinct_entropy", "deviation", step=6, each_start=True, starts=[0, 2]), {"run": run}
    )
    np.testing.assert_allclose(deviations, last.std(0, ddof=1)[[0, 2]])
    change = claim("distinct_entropy", "mean", step=6, each_start=True, differences=True)
    np.testing.assert_allclose(measure_claim(change, {"run": run}), np.diff(last.mean(0)))


def test_claims_about_several_numbers_of_a_start_keep_their_order(run):
    recall_at_end = run.series["recall"][-1].mean(0)
    all_of_them = measure_claim(claim("recall", "mean", step=6, each_start=True), {"run": run})
    np.testing.assert_allclose([number.value for number in all_of_them], recall_at_end.ravel())
    second = measure_claim(claim("recall", "mean", step=6, each_start=True, starts=[1]), {"run": run})
    np.testing.assert_allclose([number.value for number in second], recall_at_end[1])
    fourth = measure_claim(claim("recall", "value", step=6, trajectories=[4]), {"run": run})
    np.testing.assert_allclose(fourth, run.series["recall"][-1, 1, 1])


def growth_run(sizes, **spec):
    settings = {**RATES, "C0": 0.5, "unit": "step", **spec}
    return Run(sizes, {}, growth.train(sizes, settings), settings)


@pytest.mark.parametrize(("unit", "scale"), [("scanning_end", scanning_end), ("snapping_start", snapping_start)])
def test_time_may_be_counted_in_stages(unit, scale):
    sizes = vocabulary.build(M=100, K=3)
    run = growth_run(sizes, unit=unit, until=4, points=8)
    assert run.steps.tolist() == [0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4]
    np.testing.assert_allclose(run.trajectory["t"][2, 0], scale(np.array(RATES["eta_Y"]), 100, 3))


@pytest.mark.parametrize(("until", "points"), [(2, 98), (3, 147)])
def test_what_the_configuration_takes_for_recorded_is_recorded(until, points):
    steps = growth_run(vocabulary.build(M=100, K=3), until=until, points=points).steps
    assert {*range(until + 1)} <= {*steps.tolist()}


def test_growth_is_that_of_the_closed_forms():
    sizes = vocabulary.build(M=100, K=3)
    run = growth_run(sizes, until=200, points=100)
    series = attention_growth.measure(run)
    for k, eta_Y in enumerate(RATES["eta_Y"]):
        form = AttentionGrowth(eta_Y, 0.5, 100, 3, 0.5)
        np.testing.assert_allclose(series["growth_exponent"][:, 0, k], form.exponent(run.steps))
        np.testing.assert_allclose(series["growth_factor"][:, 0, k], form.factor(run.steps))
        np.testing.assert_allclose(series["local_exponent"][1:, 0, k], form.local_exponent(run.steps[1:]))
        np.testing.assert_allclose(series["transition_time"][:, 0, k], snapping_start(eta_Y, 100, 3))
    assert np.isnan(series["lead"][:, 0, 0]).all()
    assert np.isnan(series["overtaken_at"][:, 0, 0]).all()
    np.testing.assert_allclose(
        series["overtaken_at"][0, 0, 1:], [crossing_time(0.5, 1, 100, 3), crossing_time(1, 2, 100, 3)]
    )
    before, after = series["lead"][[1, -1], 0, 1]
    assert before > 0 > after
    other = attention_growth.measure(growth_run(sizes, until=200, points=10, eta_Z=[0.5, 1.0, 2.0]))
    assert np.isnan(other["overtaken_at"]).all()


def test_logits_are_those_of_the_recursion_and_of_the_root():
    run = growth_run(vocabulary.build(M=50), until=40, points=20)
    series = logit_growth.measure(run)
    for k, eta_Y in enumerate(RATES["eta_Y"]):
        np.testing.assert_allclose(series["h_star"][:, 0, k], h_star(40, eta_Y, 50)[::2])
        np.testing.assert_allclose(series["h"][:, 0, k], h(np.arange(0, 41, 2), eta_Y, 50))
    gap = (series["h_star"] - series["h"]) * 50 / np.array(RATES["eta_Y"])
    np.testing.assert_allclose(series["scaled_gap"], gap)


@pytest.mark.parametrize("spec", [{"unit": "scanning_end", "until": 4, "points": 4}, {"until": 3, "points": 2}])
def test_logits_between_the_steps_are_refused(spec):
    with pytest.raises(ValueError, match="h\\* is defined at whole steps"):
        logit_growth.measure(growth_run(vocabulary.build(M=50), **spec))
