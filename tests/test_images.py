"""Images as problems, and networks trained on them as runs of the pipeline."""

from pathlib import Path

import numpy as np
import pytest
from attention_dynamics.pipeline.specs import Specs
from attention_dynamics.trainers import image_training

from attention_dynamics.config.errors import ConfigError
from attention_dynamics.config.load import load_config
from attention_dynamics.deep.datasets import titles
from attention_dynamics.deep.training import loop, side_by_side
from attention_dynamics.measures import cls_attention, network, weights
from attention_dynamics.problems import images, stored
from attention_dynamics.run import Run

CONFIG = Path(__file__).parents[1] / "config"
SPEC = {
    "network": {"kind": "vit", "patch": 4, "dim": 8, "depth": 1, "heads": 2, "mlp": 8},
    "deep_optimizer": {"kind": "adam", "lr": 1e-2},
    "epochs": 3,
    "batch_size": 16,
    "seeds": [0, 3],
    "record_every": 1,
    "observe": ["cls_attention", "weights"],
    "image": 2,
    "pixels": "unit",
    "crop": 0,
    "flip": False,
    "device": "cpu",
}

MEASURES = {"network": network, "cls_attention": cls_attention, "weights": weights}


@pytest.fixture(scope="module")
def problem():
    return images.build(dataset="cifar10", train=48, test=20)


@pytest.fixture(scope="module")
def trajectory(problem):
    return image_training.train(problem, SPEC)


def test_a_problem_has_as_many_images_as_asked_for(problem):
    assert (problem.train_images.shape, problem.test_labels.shape) == ((48, 8, 8, 1), (20,))
    whole = images.build(dataset="digits")
    np.testing.assert_array_equal(problem.train_images, whole.train_images[:48])
    np.testing.assert_array_equal(problem.test_labels, whole.test_labels[:20])
    assert images.build(dataset="mnist", upscaled=True).train_images.shape[1:] == (28, 28, 1)
    again = stored.from_arrays(problem.to_arrays())
    assert (again.digest, again.note) == (problem.digest, "digits stand-in, not CIFAR-10")


@pytest.mark.parametrize(
    ("dataset", "source", "label"),
    [
        ("cifar10", "embedded", "data: scikit-learn's digits, in place of CIFAR-10"),
        ("digits", "embedded", "data: scikit-learn's digits"),
        ("digits", "mirror", "data: scikit-learn's digits"),
        ("mnist", "mirror", "data: MNIST, a local mirror"),
        ("cifar10", "official", "data: CIFAR-10, official"),
        ("imdb", "embedded", "data: documentation of Python, in place of IMDb"),
        ("wikitext103", "official", "data: WikiText-103, official"),
        ("set_of_a_plugin", "embedded", "data: set_of_a_plugin"),
    ],
)
def test_a_figure_says_what_its_data_are(dataset, source, label):
    assert titles.label(dataset, source) == label


def test_every_seed_is_trained_for_itself(problem, trajectory):
    assert trajectory["step"].tolist() == [0, 1, 2, 3]
    assert trajectory["attention_map"].shape == (4, 1, 2, 5)
    np.testing.assert_allclose(trajectory["attention_map"].sum(-1), 1, rtol=1e-5)
    alone = image_training.train(problem, SPEC | {"seeds": [3]})
    for name in ("test_loss", "test_accuracy", "soft_sparsity", "key_query_norm", "attention_map"):
        np.testing.assert_array_equal(trajectory[name][:, :, [1]], alone[name])
    assert (trajectory["test_loss"][0, 0, 0] != trajectory["test_loss"][0, 0, 1]).all()
    assert (trajectory["test_loss"][-1] < trajectory["test_loss"][0]).all()


def test_a_training_goes_on_from_its_checkpoint(problem, trajectory, tmp_path, monkeypatch):
    monkeypatch.setattr(side_by_side, "CHECKPOINT_EVERY", 2)
    monkeypatch.setattr(side_by_side, "CHECKPOINT_SHARE", 1.0)
    step, taken = loop.Training._step, []

    def killed_at_the_fifth(self, number, batch):
        if number == 5 and not taken:
            raise KeyboardInterrupt
        step(self, number, batch)

    monkeypatch.setattr(loop.Training, "_step", killed_at_the_fifth)
    with pytest.raises(KeyboardInterrupt):
        image_training.train(problem, SPEC, tmp_path / "checkpoint")
    monkeypatch.setattr(loop.Training, "_step", lambda *arguments: (taken.append(arguments[1]), step(*arguments)))
    resumed = image_training.train(problem, SPEC, tmp_path / "checkpoint")
    assert taken[0] == 4
    assert sorted(file.name for file in tmp_path.iterdir()) == ["checkpoint-0.npz", "checkpoint-1.npz"]
    for name, values in trajectory.items():
        np.testing.assert_array_equal(resumed[name], values)


def test_measures_are_what_was_observed(problem, trajectory):
    run = Run(problem, {}, trajectory, SPEC)
    series = {name: measure.measure(run) for name, measure in MEASURES.items()}
    for name, measure in MEASURES.items():
        assert set(series[name]) == set(measure.SERIES)
    attention, counted = series["cls_attention"], series["weights"]
    np.testing.assert_array_equal(attention["largest_attention"], trajectory["attention_map"][..., 1:].max(-1))
    assert (attention["soft_sparsity"] <= 5 + 1e-4).all()
    assert np.isnan(series["network"]["train_loss"][0]).all()
    assert np.isfinite(series["network"]["train_loss"][1:]).all()
    # 8 x 8 weights each, at first uniform up to 1 / sqrt(8).
    assert (counted["weight_counts_k"].sum(-1) == 64).all()
    assert (counted["weight_max_k"][0] <= 8**-0.5).all()
    np.testing.assert_array_equal(counted["near_zero_k"], counted["weight_counts_k"][..., 0] / 64)


@pytest.mark.parametrize("changed", [{"pixels": "standardized"}, {"crop": 1}, {"flip": True}])
def test_pixels_and_variants_change_a_training(problem, trajectory, changed):
    other = image_training.train(problem, SPEC | changed | {"seeds": [0]})
    assert (other["test_loss"][-1, 0, 0] != trajectory["test_loss"][-1, 0, 0]).all()


def test_an_image_that_there_is_not_is_refused(problem):
    with pytest.raises(ValueError, match="image: there are 20, counted from 0, got 20"):
        image_training.train(problem, SPEC | {"image": 20})


def test_the_source_is_in_the_path_in_the_specification_and_on_the_figure():
    config = load_config(CONFIG, {"data": "mirror", "data_mirror": "/somewhere"})
    assert "max_margin/cifar10/from-mirror" in config.problems()
    assert "max_margin/cifar10/from-mirror/vit" in config.runs()
    specs = Specs(config)
    arguments = specs.get("data", "max_margin/cifar10/from-mirror")["arguments"]
    assert (arguments["source"], arguments["mirror"]) == ("mirror", "/somewhere")
    assert specs.get("draw", "max_margin/fig7")["note"].endswith("; data: CIFAR-10, a local mirror")
    rows = {(row["paper"], row["figure"]): row["data"] for row in specs.get("manifest")["figures"]}
    assert rows["max_margin", "fig7"] == "data: CIFAR-10, a local mirror"
    assert rows["max_margin", "fig1a"] == ""
    assert Specs(load_config(CONFIG, {})).get("train", "max_margin/cifar10/from-embedded/vit")["epochs"] == 20


@pytest.mark.parametrize("overrides", [{"data": "mirror"}, {"data_mirror": "/somewhere"}])
def test_a_mirror_and_its_folder_go_together(overrides):
    with pytest.raises(ConfigError, match="data: mirror and data_mirror: a folder go together"):
        load_config(CONFIG, overrides)


def test_digits_are_a_stand_in_whatever_the_network_is():
    for data, fidelity in (({}, "stand-in"), ({"data": "mirror", "data_mirror": "/somewhere"}, "exact")):
        specs = Specs(load_config(CONFIG, {"scale": "paper", **data}))
        assert specs.get("draw", "mirror_descent/fig_vit_weights")["fidelity"] == fidelity
        assert specs.get("draw", "max_margin/fig1a")["fidelity"] == "exact"


@pytest.mark.parametrize(
    ("more", "code"),
    [({"heads": 4}, "one"), ({"dropout": 0.5}, "one"), ({}, "other")],
    ids=["heads", "dropout", "code"],
)
def test_the_checkpoint_of_another_network_or_code_is_passed_over(problem, trajectory, tmp_path, capsys, more, code):
    checkpoints = tmp_path / "checkpoint"
    image_training.train(problem, SPEC | {"network": SPEC["network"] | more}, checkpoints, code)
    again = image_training.train(problem, SPEC, checkpoints, "one")
    for name, values in trajectory.items():
        np.testing.assert_array_equal(again[name], values)
    assert "going on" not in capsys.readouterr().out
    image_training.train(problem, SPEC, checkpoints, "one")
    assert "going on" in capsys.readouterr().out
