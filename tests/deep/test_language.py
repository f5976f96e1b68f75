"""Decoders on running text: the network, what is measured of it, its optimizer, and runs of the pipeline."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attention_dynamics.deep.modules import observers
from attention_dynamics.deep.modules.decoder import INITIAL_BOUND, cut_segments, sinusoids
from attention_dynamics.deep.modules.observers import attention_entropy
from attention_dynamics.deep.networks import Decoder
from attention_dynamics.deep.problems import CorpusSource
from attention_dynamics.deep.tasks import LanguageModelling
from attention_dynamics.deep.torch_optimizers import ClippedSGD
from attention_dynamics.deep.trainer.loop import TrainingLoop
from attention_dynamics.deep.trainer.schedule import Schedule
from attention_dynamics.deep.trainer.splits import Split, check_feasibility, token_loss
from attention_dynamics.measures.measure import Measure
from attention_dynamics.papers.scan_and_snap import fig10
from attention_dynamics.plots.panels import StepPanel
from attention_dynamics.problems import stored
from attention_dynamics.run import Run
from attention_dynamics.training import JobContext

SETTINGS = {
    "network": {"kind": "decoder", "dim": 8, "depth": 1, "heads": 2, "mlp": 8, "dropout": 0.1},
    "deep_optimizer": {"kind": "sgd", "lr": 1.0, "clip": 0.5},
    "steps": 6,
    "record_every": 3,
    "batch_size": 4,
    "segment": 5,
    "seeds": [0, 1],
}


def decoder(**changed):
    torch.manual_seed(0)
    sizes = {"dim": 8, "depth": 2, "heads": 2, "mlp": 12, "dropout": 0.0}
    return Decoder(**sizes | changed).build((6, 11), 11).eval()


@given(st.integers(2, 300), st.integers(1, 6), st.integers(1, 7))
def test_segments_split_text_by_columns(words, columns, length):
    ids = np.arange(words)
    if (words // columns - 1) // length < 1:
        with pytest.raises(ValueError, match="too few"):
            cut_segments(ids, columns, length)
        return
    inputs, targets = cut_segments(ids, columns, length)
    np.testing.assert_array_equal(targets, inputs + 1)
    assert len(np.unique(inputs)) == inputs.size
    height = words // columns
    for column in range(columns):
        own = inputs[column::columns].ravel()
        np.testing.assert_array_equal(own, column * height + np.arange(len(own)))


def test_position_attends_only_to_itself_and_past():
    model, tokens = decoder(), torch.arange(6)[None]
    before = model(tokens)
    assert before.shape == (1, 11, 6)
    for position in range(6):
        other = tokens.clone()
        other[0, position] = 10
        changed = (model(other) != before).any(1)[0]
        assert not changed[:position].any()
        assert changed[position]


def test_observed_attention_is_of_lowest_layer():
    model, tokens = decoder(), torch.arange(6)[None]
    attention = model.attention(tokens)
    assert attention.shape == (1, 2, 6, 6)
    torch.testing.assert_close(attention.sum(-1), torch.ones(1, 2, 6))
    assert (attention.triu(1) == 0).all()
    hidden, layer = model.embed(tokens), model.layers[0].self_attn
    q, k, _ = (hidden @ layer.in_proj_weight.T + layer.in_proj_bias).unflatten(-1, (3, 2, 4)).permute(2, 0, 3, 1, 4)
    logits = (q @ k.mT / 2).masked_fill(torch.ones(6, 6).triu(1).bool(), -torch.inf)
    torch.testing.assert_close(attention, logits.softmax(-1))


def test_observations_are_means_over_segments():
    generator = torch.Generator().manual_seed(0)
    model, tokens = decoder(), torch.randint(11, (observers.BATCH_SIZE + 30, 6), generator=generator)
    attention = model.attention(tokens)
    found = observers.DecoderObserver(tokens.numpy())(model)
    np.testing.assert_allclose(found["attention_entropy"], attention_entropy(attention).mean(), rtol=1e-5)
    np.testing.assert_allclose(found["largest_attention"], attention.amax(-1).mean(), rtol=1e-5)
    np.testing.assert_allclose(found["attention_map"], attention[0].mean(0), rtol=1e-5)


def test_initial_weights_match_tutorial():
    model = decoder(dim=64)
    for weights in (model.embedding.weight, model.head.weight):
        assert weights.abs().max() <= INITIAL_BOUND
        assert abs(weights.std() / (INITIAL_BOUND / math.sqrt(3)) - 1) < 0.1
    assert (model.head.bias == 0).all()
    first, second = model.layers
    assert torch.equal(first.self_attn.in_proj_weight, second.self_attn.in_proj_weight)


def test_positions_are_sines_and_cosines():
    table = sinusoids(7, 6)
    for t in range(7):
        for k in range(3):
            angle = t / 1e4 ** (2 * k / 6)
            torch.testing.assert_close(table[t, 2 * k : 2 * k + 2], torch.tensor([math.sin(angle), math.cos(angle)]))


def test_entropy_ranges_from_zero_to_uniform_attention():
    torch.testing.assert_close(attention_entropy(torch.full((2, 35), 1 / 35)), torch.full((2,), math.log(35)))
    assert abs(attention_entropy(torch.eye(4))).max() < 1e-7
    uniform = torch.ones(35, 35).tril() / torch.arange(1, 36)[:, None]
    assert abs(attention_entropy(uniform).mean() - math.lgamma(36) / 35) < 1e-5


@pytest.mark.parametrize("clip", [None, 0.05, 100.0])
def test_clipped_sgd_matches_torch(clip):
    ours, torchs, tokens = decoder(), decoder(), torch.arange(6)[None]
    step, reference = ClippedSGD(ours.parameters(), 0.5, clip), torch.optim.SGD(torchs.parameters(), 0.5)
    for _ in range(3):
        for model in (ours, torchs):
            model.zero_grad()
            token_loss(model(tokens), tokens).backward()
        if clip:
            torch.nn.utils.clip_grad_norm_(torchs.parameters(), clip)
        step.step()
        reference.step()
    for one, other in zip(ours.parameters(), torchs.parameters(), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-6)


def test_short_epochs_continue_through_text_in_order():
    inputs, targets = cut_segments(np.arange(63) % 11, 3, 6)
    seen = []
    schedule = Schedule(epochs=3, batch_size=3, seed=0, epoch_steps=2, shuffled=False, snapshots=(0, 1, 2, 3))
    model = decoder()
    data = {name: Split(inputs, targets) for name in ("train", "test")}
    training = TrainingLoop(
        model, ClippedSGD(model.parameters(), 0.1), data, schedule, loss=token_loss, report=lambda line: None,
        augment=lambda batch, labels: (seen.append(batch.numpy().copy()), (batch, labels))[1],
    )  # fmt: skip
    record = training.run()
    assert np.isfinite(record.test_loss).all()
    assert len(seen) == 6
    # Three segments in a column: the pass begins anew after every three steps.
    for step, batch in enumerate(seen):
        np.testing.assert_array_equal(batch, inputs.reshape(3, 3, 6)[step % 3])
    np.testing.assert_allclose(record.train_loss[1:], record.loss.reshape(3, 2).mean(1))


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_missing_device_is_refused_with_name(problem):
    with pytest.raises(ValueError, match=r"device: torch .* finds no cuda on this machine"):
        LanguageModelling(**SETTINGS).train(problem, JobContext(device="cuda"))


def test_tokens_outside_vocabulary_are_refused():
    inputs, targets = cut_segments(np.arange(63) % 11, 3, 6)
    model = decoder()
    schedule = Schedule(epochs=1, batch_size=3, seed=0)
    for wrong in (inputs + 1, inputs - 1, inputs.astype(np.float32)):
        with pytest.raises(ValueError, match="test: need tokens from 0 to 10"):
            check_feasibility(model, {"train": Split(inputs, targets), "test": Split(wrong, targets)}, schedule, "cpu")


@pytest.fixture(scope="module")
def problem():
    return CorpusSource(dataset="wikitext2", words=50, valid=60).build()


def test_corpus_is_encoded_by_training_words(problem):
    assert len(problem.words) == 50
    assert len(problem.valid_ids) == 60
    assert problem.train_ids.max() == 49
    counts = np.bincount(problem.train_ids)[1:]
    assert (np.diff(counts) <= 0).all()
    again = stored.from_arrays(problem.to_arrays())
    np.testing.assert_array_equal(again.train_ids, problem.train_ids)
    assert again.words.tolist() == problem.words.tolist()


def test_trajectory_has_configured_records_and_column_per_seed(problem):
    training = LanguageModelling(**SETTINGS)
    trajectory = training.train(problem)
    assert trajectory["step"].tolist() == [0, 3, 6]
    measure = Measure.of("text_attention")
    series = measure.measure(Run(training=training, problem=problem, trajectory=trajectory))
    assert set(series) == set(measure.series)
    assert series["attention_map"].shape == (3, 1, 2, 5, 5)
    np.testing.assert_allclose(series["attention_map"].sum(-1), 1, rtol=1e-5)
    assert abs(series["test_loss"][0] - math.log(50)).max() < 0.3
    assert (series["test_loss"][-1] < series["test_loss"][0]).all()
    alone = LanguageModelling(**SETTINGS | {"seeds": [1]}).train(problem)
    np.testing.assert_array_equal(series["attention_entropy"][:, :, [1]], alone["attention_entropy"])


def test_entropy_figure_has_panel_per_corpus_at_own_step():
    def trained(rate, steps):
        entropy = np.linspace(2.5, 2 - 0.2 * rate, 2)[:, None, None] + np.zeros((2, 1, 3))
        settings = {"segment": 35, "steps": steps, "record_every": steps, "deep_optimizer": {"kind": "sgd", "lr": rate}}
        training = LanguageModelling(**SETTINGS | settings)
        series = {"attention_entropy": entropy}
        return Run(training=training, problem=None, trajectory={"step": np.array([0, steps])}, series=series)

    runs = {f"{name}_{rate}": trained(rate, steps) for name, steps in (("a", 4), ("b", 9)) for rate in (1, 3)}
    panel = [StepPanel(runs=[f"{name}_1", f"{name}_3"], step=steps, title=name) for name, steps in (("a", 4), ("b", 9))]
    figure = fig10.draw(runs, panel=panel)
    assert [axes.get_title() for axes in figure.axes] == ["a, 3 seeds", "b, 3 seeds"]
    for axes in figure.axes:
        means = axes.containers[0].lines[0].get_ydata()
        np.testing.assert_allclose(np.array(means, dtype=float), [1.8, 1.4])
