"""Images as problems, and networks trained on them."""

import json
import os.path

import numpy as np
import pytest

from attention_dynamics.config.load import load_config
from attention_dynamics.config.schema import Settings
from attention_dynamics.deep.datasets import sources
from attention_dynamics.deep.problems import ImageSource
from attention_dynamics.deep.tasks import ImageTraining
from attention_dynamics.measures.measure import Measure
from attention_dynamics.pipeline.jobs import Jobs
from attention_dynamics.problems import stored
from attention_dynamics.run import Run
from attention_dynamics.training import JobContext, Training
from helpers.published_config import folder_of, published_config
from helpers.stopped_training import stopped_before

SETTINGS = {
    "network": {"kind": "vit", "patch": 4, "dim": 8, "depth": 1, "heads": 2, "mlp": 8},
    "deep_optimizer": {"kind": "adam", "lr": 1e-2},
    "epochs": 3,
    "batch_size": 16,
    "seeds": [0, 3],
    "observe": ["cls_attention", "weights"],
    "image": 2,
}
TRAINING = ImageTraining(**SETTINGS)


@pytest.fixture(scope="module")
def problem():
    return ImageSource(dataset="cifar10", train=48, test=20).build()


@pytest.fixture(scope="module")
def trajectory(problem):
    return TRAINING.train(problem)


def assert_equal(found, trajectory):
    assert found.keys() == trajectory.keys()
    for name, values in trajectory.items():
        np.testing.assert_array_equal(found[name], values)


def test_problem_has_requested_number_of_images(problem):
    assert (problem.train_images.shape, problem.test_labels.shape) == ((48, 8, 8, 1), (20,))
    whole = ImageSource(dataset="digits").build("mirror", "/nowhere")
    np.testing.assert_array_equal(problem.train_images, whole.train_images[:48])
    np.testing.assert_array_equal(problem.test_labels, whole.test_labels[:20])
    assert ImageSource(dataset="mnist", upscaled=True).build().train_images.shape[1:] == (28, 28, 1)


def test_stored_images_are_found_by_kind(problem):
    arrays = problem.to_arrays()
    assert arrays["kind"] == problem.KIND == ImageSource(dataset="digits").shape.data == ImageTraining.data
    again = stored.from_arrays(arrays)
    assert (type(again), again.digest, again.note) == (type(problem), problem.digest, "digits stand-in, not CIFAR-10")


LABELS = {
    ("cifar10", "embedded"): "scikit-learn's digits, in place of CIFAR-10",
    ("digits", "embedded"): "scikit-learn's digits",
    ("digits", "mirror"): "scikit-learn's digits",
    ("mnist", "mirror"): "MNIST, a local mirror",
    ("cifar10", "official"): "CIFAR-10, official",
    ("cifar100", "embedded"): "pairs of digits, in place of CIFAR-100",
    ("imdb", "embedded"): "documentation of Python, in place of IMDb",
    ("wikitext103", "official"): "WikiText-103, official",
    ("set_of_a_plugin", "embedded"): "set_of_a_plugin",
}


def test_figure_names_data_set():
    assert {given: sources.label(*given) for given in LABELS} == LABELS


def test_training_equals_copy_from_json():
    again = Training.of(json.loads(TRAINING.model_dump_json()))
    assert again == TRAINING
    assert hash(again) == hash(TRAINING)
    assert again.network.kind == "vit"


def test_seeds_are_trained_independently(problem, trajectory):
    assert trajectory["step"].tolist() == [0, 1, 2, 3]
    assert trajectory["attention_map"].shape == (4, 1, TRAINING.columns(None), 5)
    np.testing.assert_allclose(trajectory["attention_map"].sum(-1), 1, rtol=1e-5)
    alone = ImageTraining(**SETTINGS | {"seeds": [3]}).train(problem)
    for name in ("test_loss", "test_accuracy", "soft_sparsity", "key_query_norm", "attention_map"):
        np.testing.assert_array_equal(trajectory[name][:, :, [1]], alone[name])
    assert (trajectory["test_loss"][0, 0, 0] != trajectory["test_loss"][0, 0, 1]).all()
    assert (trajectory["test_loss"][-1] < trajectory["test_loss"][0]).all()


def test_training_resumes_from_its_checkpoint(problem, trajectory, tmp_path, monkeypatch, capsys):
    schedule, often = ImageTraining.schedule, {"checkpoint_every": 2, "checkpoint_share": 1.0}
    monkeypatch.setattr(ImageTraining, "schedule", lambda self, seed: schedule(self, seed).model_copy(update=often))
    context = JobContext(checkpoint=tmp_path / "checkpoint")
    with stopped_before(5):
        TRAINING.train(problem, context)
    resumed = TRAINING.train(problem, context)
    assert "resuming after step 4 of 9" in capsys.readouterr().out
    assert sorted(file.name for file in tmp_path.iterdir()) == ["checkpoint-0.npz", "checkpoint-1.npz"]
    assert_equal(resumed, trajectory)


NETWORK = SETTINGS["network"]


@pytest.mark.parametrize(
    ("changed", "code"),
    [({"network": NETWORK | {"dropout": 0.5}}, "one"), ({"image": 3}, "one"), ({}, "other")],
)
def test_checkpoint_of_other_settings_or_code_is_ignored(problem, trajectory, tmp_path, capsys, changed, code):
    file = tmp_path / "checkpoint"
    ImageTraining(**SETTINGS | changed).train(problem, JobContext(checkpoint=file, code=code))
    context = JobContext(checkpoint=file, code="one")
    assert_equal(TRAINING.train(problem, context), trajectory)
    assert "resuming" not in capsys.readouterr().out
    TRAINING.train(problem, context)
    assert "resuming" in capsys.readouterr().out


def test_measures_equal_observations(problem, trajectory):
    run = Run(training=TRAINING, problem=problem, trajectory=trajectory)
    measures = {kind: Measure.of(kind) for kind in ("network", "cls_attention", "weights")}
    series = {kind: measure.measure(run) for kind, measure in measures.items()}
    for kind, measure in measures.items():
        assert set(series[kind]) == set(measure.series)
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
def test_scaling_and_augmentation_change_training(problem, trajectory, changed):
    other = ImageTraining(**SETTINGS | changed | {"seeds": [0]}).train(problem)
    assert (other["test_loss"][-1, 0, 0] != trajectory["test_loss"][-1, 0, 0]).all()


def test_network_has_as_many_classes_as_data_set():
    problem = ImageSource(dataset="cifar100", train=32, test=16).build()
    found = ImageTraining(**SETTINGS | {"epochs": 1, "seeds": [0]}).train(problem)
    np.testing.assert_allclose(found["test_loss"][0], np.log(100), atol=1)


def test_timed_training_has_time_of_all_steps_so_far(problem, trajectory):
    timed = ImageTraining(**SETTINGS | {"timed": True})
    found = timed.train(problem)
    seconds = found.pop("cpu_seconds")
    assert seconds.shape == (4, 1, 2)
    assert (seconds[0] == 0).all()
    assert (np.diff(seconds, axis=0) > 0).all()
    assert_equal(found, trajectory)
    measure = Measure.of("cpu_time")
    measure.check(timed)
    measured = measure.measure(Run(training=timed, problem=problem, trajectory=found | {"cpu_seconds": seconds}))
    np.testing.assert_array_equal(measured["cpu_seconds"], seconds)
    with pytest.raises(ValueError, match="needs timed: true"):
        measure.check(TRAINING)


def test_missing_image_is_refused(problem):
    with pytest.raises(ValueError, match="image: 20 does not exist; there are 20"):
        ImageTraining(**SETTINGS | {"image": 20}).train(problem)


@pytest.mark.slow
def test_data_source_is_in_path_specification_and_figure():
    jobs = Jobs(load_config(folder_of("max_margin"), {"data": "mirror", "data_mirror": "/somewhere"}))
    assert "max_margin/cifar10/from-mirror" in jobs.problems
    assert "max_margin/cifar10/from-mirror/vit" in jobs.runs
    location = jobs.get("data", "max_margin/cifar10/from-mirror").spec["location"]
    assert location == {"source": "mirror", "mirror": "/somewhere"}
    assert jobs.get("draw", "max_margin/fig7").spec["note"].endswith("; data: CIFAR-10, a local mirror")
    rows = {(row["paper"], row["figure"]): row["data"] for row in jobs.get("manifest").spec["figures"]}
    assert rows["max_margin", "fig7"] == "data: CIFAR-10, a local mirror"
    assert rows["max_margin", "fig1a"] == ""
    trained = Jobs(published_config()).get("train", "max_margin/cifar10/from-embedded/vit")
    assert trained.spec["training"]["epochs"] == 20


@pytest.mark.parametrize("folder", ["~/h_data", "~root/h data", "~"])
def test_mirror_may_begin_with_home_directory(folder):
    settings = Settings(data="mirror", data_mirror=folder)
    assert settings.data_mirror == os.path.expanduser(folder) != folder


def test_digits_are_stand_in_for_all_networks():
    for data, fidelity in (({}, "stand-in"), ({"data": "mirror", "data_mirror": "/somewhere"}, "exact")):
        jobs = Jobs(load_config(folder_of("max_margin", "mirror_descent"), {"scale": "paper", **data}))
        assert jobs.get("draw", "mirror_descent/fig_vit_weights").spec["fidelity"] == fidelity
        assert jobs.get("draw", "max_margin/fig1a").spec["fidelity"] == "exact"
