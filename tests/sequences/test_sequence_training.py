"""Training on sequence classes and its measures: against torch, closed forms and published numbers."""

import json
from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from attention_dynamics.measures.attention_growth import AttentionGrowth as AttentionGrowthMeasure
from attention_dynamics.measures.composition import Composition
from attention_dynamics.measures.logit_growth import LogitGrowth
from attention_dynamics.measures.recall import Recall
from attention_dynamics.papers.scan_and_snap import fig6_claims
from attention_dynamics.run import Run
from attention_dynamics.sequences.classes import published_classes
from attention_dynamics.sequences.problems.sampled_sequences import SampledSequencesSource
from attention_dynamics.sequences.problems.vocabulary import VocabularySource
from attention_dynamics.sequences.sampling import draw
from attention_dynamics.sequences.sequence_training import SequenceTraining, train_pairs
from attention_dynamics.sequences.token_composition import common_mass, composition, distinct_entropy, recall
from attention_dynamics.sequences.transformer_gradient import gradient
from attention_dynamics.series.published import published
from attention_dynamics.series.statistics import deviation, mean
from attention_dynamics.theory.attention_growth import AttentionGrowth, crossing_time
from attention_dynamics.theory.growth import Growth
from attention_dynamics.theory.growth_laws import h, h_star, scanning_end, snapping_start
from attention_dynamics.training import IncompatibleRunError, NumericalFailure
from conftest import ROOT
from helpers.refusals import assert_refused

REFERENCE = json.loads((ROOT / "tests/data/scan_and_snap.json").read_text())
SMALL = published_classes(num_last=2, num_next_per_last=1)
SHARED = published_classes(num_last=1, num_next_per_last=2)
MEDIUM = published_classes(num_last=3, num_next_per_last=2)
ETA_Z, RATIOS = np.repeat([0.5, 1, 2, 3], 4), np.tile([1, 2, 5, 10], 4)
some = settings(deadline=None, max_examples=30, derandomize=True)


def one_hot_loss(data, Y, Z, classes, counts):
    """Return the mean cross-entropy of the transformer (eqs. 1 and 2) on one-hot sequences. Y, Z: (M, M)."""
    M = data.probabilities.shape[1]
    tokens = torch.tensor(np.array([np.repeat(data.support[n], k) for n, k in zip(classes, counts, strict=True)]))
    context = torch.nn.functional.one_hot(tokens, M).double()
    query = torch.nn.functional.one_hot(torch.tensor(data.query[classes]), M).double()
    attention = torch.softmax((context @ (query @ Z)[..., None])[..., 0], dim=-1)
    combined = (attention[:, None] @ context)[:, 0]
    logits = combined / combined.norm(dim=-1, keepdim=True) @ Y
    return torch.nn.functional.cross_entropy(logits, torch.tensor(data.next[classes]))


def full(data, samples):
    """Return Y and Z with all M rows, as tensors that require gradients."""
    M = data.probabilities.shape[1]
    Y, Z = (torch.zeros(M, M, dtype=torch.float64) for _ in range(2))
    Y[: data.contextual], Z[torch.tensor(data.queries)] = torch.tensor(samples.Y), torch.tensor(samples.Z)
    return Y.requires_grad_(), Z.requires_grad_()


@some
@given(seed=st.integers(0, 10**6), size=st.floats(0, 40), batch=st.integers(1, 12), medium=st.booleans())
def test_gradient_matches_one_hot_model(seed, size, batch, medium):
    """Gradients are computed for two pairs of weights at once. Small batches lack some of the classes."""
    data = MEDIUM if medium else SMALL
    runs = [draw(data, seed=seed + k, steps=1, batch=batch, mode="fast", start="uniform") for k in range(2)]
    Y, Z = np.stack([run.Y for run in runs]), size * np.stack([run.Z for run in runs])
    classes, counts = runs[0].classes[0], runs[0].counts[0]
    computed = gradient(data, Y, Z, classes, counts)
    for k in range(2):
        weights = full(data, runs[0]._replace(Y=Y[k], Z=Z[k]))
        loss = one_hot_loss(data, *weights, classes, counts)
        in_Y, in_Z = torch.autograd.grad(loss, weights)
        np.testing.assert_allclose(computed.loss[k], loss.item(), rtol=1e-12)
        np.testing.assert_allclose(computed.Y[k], in_Y[: data.contextual], atol=1e-13)
        np.testing.assert_allclose(computed.Z[k], in_Z[torch.tensor(data.queries)], atol=1e-13)
        assert not in_Y[data.contextual :].any()
        assert not np.delete(in_Z.numpy(), data.queries, axis=0).any()


@pytest.mark.parametrize("data", [SMALL, SHARED, MEDIUM], ids=["small", "shared_query", "medium"])
@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_training_matches_torch_on_one_hot_sequences(data, optimizer):
    samples, recorded = draw(data, seed=5, steps=48, batch=32, mode="fast", start="uniform"), [0, 1, 17, 48]
    trained = train_pairs(data, samples, eta_Y=[0.3, 2.0], eta_Z=[0.1, 0.7], record_steps=recorded, optimizer=optimizer)
    Y, Z = full(data, samples)
    rules = {"sgd": partial(torch.optim.SGD, momentum=0.9), "adam": torch.optim.Adam}
    steps = rules[optimizer]([{"params": [Y], "lr": 2.0}, {"params": [Z], "lr": 0.7}])
    for t in range(49):
        if t in recorded:
            row = recorded.index(t)
            np.testing.assert_allclose(trained["Y"][row, 1], Y.detach()[: data.contextual], rtol=1e-9, atol=1e-10)
            np.testing.assert_allclose(trained["Z"][row, 1], Z.detach()[data.queries], rtol=1e-9, atol=1e-10)
        if t < 48:
            loss = one_hot_loss(data, Y, Z, samples.classes[t], samples.counts[t])
            np.testing.assert_allclose(trained["loss"][t, 1], loss.item(), rtol=1e-8, atol=1e-12)
            steps.zero_grad()
            loss.backward()
            steps.step()


@pytest.mark.parametrize("data", [SMALL, MEDIUM], ids=["small", "medium"])
def test_row_sums_of_both_matrices_are_conserved(data):
    """They stay zero from a start of zero, because a shift of all logits or scores leaves the loss as it is (eq. 3)."""
    samples = draw(data, seed=2, steps=100, mode="fast")
    for precision, tolerance in (("float64", 1e-10), ("float32", 1e-4)):
        trained = train_pairs(data, samples, eta_Y=1.0, eta_Z=1.0, record_steps=[100], precision=precision)
        for name in ("Y", "Z"):
            assert trained[name].dtype == precision
            assert np.abs(trained[name]).max() > 0.1
            np.testing.assert_allclose(trained[name].sum(-1), 0, atol=tolerance)


@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_losses_match_published_ones(precision):
    samples = draw(SMALL, seed=2, steps=100)
    loss = train_pairs(SMALL, samples, eta_Y=[1, 10], eta_Z=1, record_steps=[100], precision=precision)["loss"]
    published = np.array(REFERENCE["loss_small"])
    np.testing.assert_allclose(loss[0], np.log(34), rtol=1e-6)
    np.testing.assert_allclose(loss[:26:2, 0], published[:13], rtol=1e-4)
    np.testing.assert_allclose(loss[26::2, 0], published[13:], rtol=1e-2)
    np.testing.assert_allclose(loss[[2, 4], 1], [0.05448, 1.492e-3], rtol=2e-4)
    if precision == "float64":
        samples = draw(SHARED, seed=1, steps=100, start="uniform")
        loss = train_pairs(SHARED, samples, eta_Y=0.5, eta_Z=0.5, record_steps=[100])["loss"]
        np.testing.assert_allclose(loss[::2, 0], REFERENCE["loss_medium"], rtol=1e-4)


def test_composition_matches_published_one():
    """The reference was computed in single precision, by automatic differentiation."""
    samples, eta = draw(SMALL, seed=2, steps=48), [0.1, 0.5, 1.0]
    trained = train_pairs(SMALL, samples, eta_Y=[1, 10], eta_Z=1, record_steps=[0, 48])
    c = composition(SMALL, trained["Z"])
    for k, ratio in enumerate(["1", "10"]):
        np.testing.assert_allclose(c[1, k, :, :30], REFERENCE["composition_sgd"][ratio], atol=2e-6)
    np.testing.assert_allclose(common_mass(SMALL, c[1]), [[0.3627, 0.4207], [0.5673, 0.5486]], atol=6e-5)
    np.testing.assert_allclose(c[0, 0], SMALL.probabilities, atol=1e-15)
    trained = train_pairs(SMALL, samples, eta_Y=eta, eta_Z=eta, record_steps=[48], optimizer="adam")
    c = composition(SMALL, trained["Z"])[0, :, 0]
    np.testing.assert_allclose(c[:, :20], list(REFERENCE["composition_adam"].values()), atol=1e-5)
    assert c[:, 10:20].argmax(-1).tolist() == [3, 6, 9]


@pytest.mark.slow
def test_entropies_and_recalls_match_single_query_token():
    """Statistics of 10 seeds, for 16 pairs of step sizes. The reference recalls are from an independent computation."""
    entropies, recalls, thresholds = [], [], np.linspace(0.9, 1.3, 9) / 33
    for seed in range(1, 11):
        samples = draw(SHARED, seed=seed, steps=100, start="uniform")
        Z = train_pairs(SHARED, samples, eta_Y=ETA_Z * RATIOS, eta_Z=ETA_Z, record_steps=[100], observed=["Z"])["Z"][0]
        entropies.append(distinct_entropy(SHARED, composition(SHARED, Z)).mean(-1))
        recalls.append(recall(SHARED, Z, thresholds))
    eta_Z, ratios, means, deviations = np.transpose(REFERENCE["entropy"])
    assert np.array_equal([eta_Z, ratios], [ETA_Z, RATIOS])
    np.testing.assert_allclose(np.mean(entropies, axis=0), means, atol=1e-3)
    np.testing.assert_allclose(np.std(entropies, axis=0, ddof=1), deviations, atol=1e-3)
    assert [curve[:2] for curve in REFERENCE["recall"]] == np.stack([ETA_Z, RATIOS], axis=1).tolist()
    np.testing.assert_allclose(np.mean(recalls, axis=0), [curve[2] for curve in REFERENCE["recall"]], atol=5e-3)


def test_entropies_and_recalls_match_record_of_new_seeds():
    """Seed 11 is compared with the numbers that benchmarks/fig6_seeds.py recorded for it."""
    new = published(fig6_claims.__file__, "fig6_seeds")
    (row,) = np.flatnonzero((new["last"] == 1) & (new["seed"] == 11))
    samples = draw(SHARED, seed=11, steps=100, start="uniform")
    Z = train_pairs(SHARED, samples, eta_Y=ETA_Z * RATIOS, eta_Z=ETA_Z, record_steps=[100], observed=["Z"])["Z"][0]
    curves = recall(SHARED, Z, [0.9 / 33, 1.3 / 33])
    found = {"entropy": distinct_entropy(SHARED, composition(SHARED, Z)).mean(-1), "drop": curves[:, 0] - curves[:, 1]}
    for series, values in found.items():
        expected = [new[f"{series} {ratio} {eta:g}"][row] for ratio, eta in zip(RATIOS, ETA_Z, strict=True)]
        np.testing.assert_allclose(values, expected, atol=1e-6)


def test_divergent_pair_is_reported_and_others_continue(capsys):
    samples = draw(SMALL, seed=0, steps=3, batch=4, mode="fast")
    both = train_pairs(SMALL, samples, eta_Y=[1.0, np.inf], eta_Z=1.0, record_steps=[0, 3])
    assert "loss is not finite at step 1 (pair 1): diverged" in capsys.readouterr().out
    alone = train_pairs(SMALL, samples, eta_Y=[1.0, 2.0], eta_Z=1.0, record_steps=[0, 3])
    for name in ("loss", "Y", "Z"):
        np.testing.assert_array_equal(both[name][:, 0], alone[name][:, 0])
        assert np.isnan(both[name][1:, 1]).all()
    training = SequenceTraining.model_construct(eta_Y=(1e300,), eta_Z=(1.0,), steps=6)
    with pytest.raises(NumericalFailure, match="every training has diverged"):
        training.train(SOURCE.build())
    assert "seed 3: loss is not finite at step " in capsys.readouterr().out


def test_bad_settings_are_refused():
    samples = draw(SMALL, seed=0, steps=2, batch=4, mode="fast")
    given = {"eta_Y": 1.0, "eta_Z": 1.0, "record_steps": [2]}
    assert_refused((partial(train_pairs, SMALL, samples, **given | wrong), message) for wrong, message in (
        ({"record_steps": []}, "record_steps"), ({"record_steps": [2, 1]}, "record_steps"),
        ({"record_steps": [3]}, "from 0 to 2"), ({"record_steps": [-1, 1]}, "record_steps"),
        ({"eta_Y": [1.0, 2.0, 3.0], "eta_Z": [1.0, 2.0]}, "broadcast"), ({"optimizer": "gd"}, "'gd'"),
        ({"precision": "float16"}, "'float16'"), ({"observed": ["W"]}, "'W'"),
    ))  # fmt: skip


SIZES = {"num_last": 2, "num_next_per_last": 2, "seeds": [3, 5], "steps": 6, "batch": 8, "length": 16, "draws": "fast"}
PAIRS = {"eta_Y": [1.0, 4.0, 2.0], "eta_Z": [1.0, 1.0, 2.0]}
TRAINING = SequenceTraining(**PAIRS, steps=6, record_every=2)
SOURCE = SampledSequencesSource(**SIZES, start="uniform")


def test_trajectory_covers_every_seed_and_pair():
    problem = SOURCE.build()
    trained = TRAINING.train(problem)
    assert trained["step"].tolist() == TRAINING.recorded_steps == [0, 2, 4, 6]
    assert trained["Z"].shape == (4, 2, TRAINING.columns(SOURCE.shape), 2, 56)
    for row, seed in enumerate(SIZES["seeds"]):
        samples = draw(problem.classes, seed=seed, steps=6, batch=8, T=16, mode="fast", start="uniform")
        for ours, theirs in zip(problem.samples(row), samples, strict=True):
            np.testing.assert_array_equal(ours, theirs)
        for pair, (eta_Y, eta_Z) in enumerate(zip(*PAIRS.values(), strict=True)):
            given = {"eta_Y": eta_Y, "eta_Z": eta_Z, "record_steps": [0, 2, 4, 6], "observed": ["Z"]}
            alone = train_pairs(problem.classes, samples, **given)
            assert "Y" not in alone
            np.testing.assert_allclose(trained["Z"][:, row, pair], alone["Z"][:, 0], rtol=1e-12, atol=1e-15)
            expected = [*alone["loss"][[0, 2, 4], 0], np.nan]
            np.testing.assert_allclose(trained["loss"][:, row, pair], expected, rtol=1e-12)


def test_wrong_numbers_of_steps_and_learning_rates_are_refused():
    TRAINING.check(SOURCE.shape)
    with pytest.raises(IncompatibleRunError, match="at most 6, the number of batches") as raised:
        SequenceTraining(**PAIRS, steps=7).check(SOURCE.shape)
    assert raised.value.key == "steps"
    for kind, more in ((SequenceTraining, {"steps": 6}), (Growth, {"until": 4, "points": 4})):
        with pytest.raises(ValidationError, match="eta_Z: needs as many learning rates as eta_Y, 3, got 1"):
            kind(eta_Y=[1.0, 2.0, 3.0], eta_Z=[1.0], **more)
        assert kind(**PAIRS, **more).parameters == ()


def test_growth_records_configured_times():
    problem = VocabularySource(M=100, K=3).build()
    for until, points in ((2, 98), (3, 147), (6, 4)):
        training = Growth(**PAIRS, until=until, points=points)
        trained = training.train(problem)
        recorded = [step for step in range(until + 3) if training.records_step(step)]
        assert recorded == [k for k in range(until + 3) if k in trained["step"]]
        assert training.record_schedule == f"0 to {until} in {points} intervals"
        np.testing.assert_array_equal(trained["t"], np.tile(trained["step"][:, None, None], (1, 1, 3)))
    # Time can be counted in stages.
    for unit, scale in (("scanning_end", scanning_end), ("snapping_start", snapping_start)):
        trained = Growth(**PAIRS, unit=unit, until=4, points=8).train(problem)
        assert trained["step"].tolist() == [0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4]
        np.testing.assert_allclose(trained["t"][2, 0], scale(np.array(PAIRS["eta_Y"]), 100, 3))


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
    c = composition(problem.classes, run.trajectory["Z"])
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
    np.testing.assert_allclose([mean(start.at(6), "seed").value for start in starts], last.mean(0))
    np.testing.assert_allclose([deviation(start.at(6)) for start in starts], last.std(0, ddof=1))
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
    crossings = [crossing_time(slow, fast, 100, 3) for slow, fast in ((0.5, 1), (1, 2))]
    np.testing.assert_allclose(series["overtaken_at"][0, 0, 1:], crossings)
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
    for spec in ({"unit": "scanning_end", "until": 4, "points": 4}, {"until": 3, "points": 2}):
        with pytest.raises(ValueError, match="h\\* is defined at whole steps"):
            LogitGrowth().measure(growth_run(50, **spec))
