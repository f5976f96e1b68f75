"""Measures and claims of runs on sequence classes, and of closed forms."""

import numpy as np
import pytest

from attention_dynamics.measures.attention_growth import AttentionGrowth as AttentionGrowthMeasure
from attention_dynamics.measures.composition import Composition
from attention_dynamics.measures.logit_growth import LogitGrowth
from attention_dynamics.measures.recall import Recall
from attention_dynamics.run import Run
from attention_dynamics.sequences import composition as formulas
from attention_dynamics.sequences.problems.sampled_sequences import SampledSequencesSource
from attention_dynamics.sequences.problems.vocabulary import VocabularySource
from attention_dynamics.sequences.sequence_training import SequenceTraining
from attention_dynamics.series.statistics import deviation, mean
from attention_dynamics.theory.attention_growth import AttentionGrowth, crossing_time
from attention_dynamics.theory.growth import Growth
from attention_dynamics.theory.growth_laws import h, h_star, snapping_start

SIZES = {"num_last": 2, "num_next_per_last": 2, "seeds": [3, 5], "steps": 6, "batch": 8, "length": 16, "draws": "fast"}
TRAINING = SequenceTraining(eta_Y=[1.0, 4.0, 2.0], eta_Z=[1.0, 1.0, 2.0], steps=6, record_every=2)
RATES = {"eta_Y": [0.5, 1.0, 2.0], "eta_Z": [0.5, 0.5, 0.5]}


@pytest.fixture(scope="module")
def problem():
    return SampledSequencesSource(**SIZES, start="uniform").build()


@pytest.fixture(scope="module")
def run(problem):
    run = Run(problem=problem, training=TRAINING, trajectory=TRAINING.train(problem))
    run.series.update(Composition().measure(run) | Recall(thresholds=[0.5, 1, 1.5, 2]).measure(run))
    return run


def test_measures_match_shares(problem, run):
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


def test_series_of_start_summarize_its_seeds(run):
    last = run.series["distinct_entropy"][-1]
    starts = run["distinct_entropy"].group_by_start()
    np.testing.assert_allclose([mean(start.at(6)).value for start in starts], last.mean(0))
    np.testing.assert_allclose([deviation(start.at(6)) for start in starts], last.std(0, ddof=1))


def test_values_of_start_keep_order(run):
    recall, last = run["recall"], run.series["recall"][-1]
    np.testing.assert_allclose([start.at(6).mean() for start in recall.group_by_start()], last.mean(0).ravel())
    np.testing.assert_allclose([start.at(6).mean() for start in recall.starts(1).group_by_start()], last.mean(0)[1])
    np.testing.assert_allclose(recall.trajectories(4).at(6), last[1, 1])


def growth_run(M, K=1, **settings):
    training, problem = Growth(**{**RATES, "C0": 0.5, **settings}), VocabularySource(M=M, K=K).build()
    return Run(problem=problem, training=training, trajectory=training.train(problem))


def test_growth_matches_closed_forms():
    run = growth_run(100, 3, until=200, points=100)
    series = AttentionGrowthMeasure().measure(run)
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
    other = AttentionGrowthMeasure().measure(growth_run(100, 3, until=200, points=10, eta_Z=[0.5, 1.0, 2.0]))
    assert np.isnan(other["overtaken_at"]).all()


def test_logits_match_recursion_and_root():
    run = growth_run(50, until=40, points=20)
    series = LogitGrowth().measure(run)
    for k, eta_Y in enumerate(RATES["eta_Y"]):
        np.testing.assert_allclose(series["h_star"][:, 0, k], h_star(40, eta_Y, 50)[::2])
        np.testing.assert_allclose(series["h"][:, 0, k], h(np.arange(0, 41, 2), eta_Y, 50))
    gap = (series["h_star"] - series["h"]) * 50 / np.array(RATES["eta_Y"])
    np.testing.assert_allclose(series["scaled_gap"], gap)


@pytest.mark.parametrize("spec", [{"unit": "scanning_end", "until": 4, "points": 4}, {"until": 3, "points": 2}])
def test_logits_between_steps_are_refused(spec):
    with pytest.raises(ValueError, match="h\\* is defined at whole steps"):
        LogitGrowth().measure(growth_run(50, **spec))
