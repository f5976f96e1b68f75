"""Grids of step sizes: the training runs that they contain, diverging runs, and the best step size."""

import numpy as np
import pytest
import torch

from attention_dynamics.config.load import load_config
from attention_dynamics.deep.optim import SGD, Adam, DeepOptimizer, Polyak
from attention_dynamics.deep.problems import ImageSource
from attention_dynamics.deep.tasks import ImageTraining
from attention_dynamics.measures.measure import Measure
from attention_dynamics.run import Run
from attention_dynamics.training import NumericalFailure
from helpers.published_config import folder_of

SETTINGS = {
    "network": {"kind": "patch_attention", "patch": 4, "dim": 8},
    "epochs": 2,
    "batch_size": 16,
    "seeds": [0, 3],
}


def training(**changed):
    return ImageTraining(**SETTINGS | {"deep_optimizer": SGD(lr=(0.1, 0.5))} | changed)


@pytest.fixture(scope="module")
def problem():
    return ImageSource(dataset="mnist", train=48, test=20).build()


def test_list_becomes_grid_axis():
    optimizer = DeepOptimizer.of({"kind": "polyak", "c": [0.5, 1], "largest": 1})
    assert optimizer.grid == ("c", (0.5, 1))
    assert optimizer.points == (Polyak(c=0.5, largest=1), Polyak(c=1, largest=1))
    assert Adam(lr=0.1).grid is None
    assert Adam(lr=0.1).points == (Adam(lr=0.1),)
    assert SGD(lr=(0.1,)).grid == ("lr", (0.1,))


@pytest.mark.parametrize("kind", ["adam", "mirror_descent", "normalized_sgd", "sgd"])
def test_build_refuses_grid(kind):
    more = {"exponent": 2} if kind == "mirror_descent" else {}
    optimizer = DeepOptimizer.of({"kind": kind, "lr": [0.1, 0.2], **more})
    parameters = [torch.nn.Parameter(torch.ones(2))]
    with pytest.raises(ValueError, match=r"\[0.1, 0.2\] is a grid; build its points one by one"):
        optimizer.build(parameters, 1)
    assert [point.build(parameters, 1).param_groups[0]["lr"] for point in optimizer.points] == [0.1, 0.2]


def test_every_point_of_grid_is_trained_with_every_seed(problem):
    whole = training().train(problem)
    assert whole["test_loss"].shape == (3, 1, training().columns(None)) == (3, 1, 4)
    for column, (lr, seed) in enumerate([(0.1, 0), (0.1, 3), (0.5, 0), (0.5, 3)]):
        alone = training(deep_optimizer=SGD(lr=lr), seeds=(seed,)).train(problem)
        for name in ("train_loss", "test_accuracy"):
            np.testing.assert_array_equal(whole[name][:, :, [column]], alone[name])


# With one step an epoch, the loss is first not finite in the evaluation after this step.
@pytest.mark.parametrize("batch_size", [16, 48])
def test_divergence_is_recorded_in_grid_and_raised_alone(problem, batch_size):
    wild = training(deep_optimizer=SGD(lr=(0.1, 1e20)), batch_size=batch_size)
    trajectory = wild.train(problem)
    losses = trajectory["test_loss"][:, 0]
    assert np.isfinite(losses[:, :2]).all()
    assert np.isfinite(losses[0]).all()
    assert np.isposinf(losses[1:, 2:]).all()
    assert np.isnan(trajectory["test_accuracy"][1:, 0, 2:]).all()
    np.testing.assert_array_equal(
        trajectory["epochs_trained"][:, 0], [[0] * 4, *([k, k, np.nan, np.nan] for k in (1, 2))]
    )
    with pytest.raises(NumericalFailure, match=r"seed 0: the loss.* is not finite .*epoch 1") as raised:
        training(deep_optimizer=SGD(lr=1e20), batch_size=batch_size).train(problem)
    assert np.isfinite(raised.value.partial_trajectory["loss"][0])


def test_best_of_grid_has_smallest_final_mean_loss():
    # (epochs, points, seeds): the second point is ahead at first and wins for one seed only.
    losses = np.array([[[np.nan] * 2] * 3, [[3, 3], [1, 1], [9, 9]], [[2, 2], [1, 4], [np.inf, 2]]], dtype=float)
    names = ("train_loss", "test_loss", "test_accuracy")
    trajectory = {name: (losses + k).reshape(3, 1, 6) for k, name in enumerate(names)}
    trajectory["step"] = np.arange(3)
    of_grid = training(deep_optimizer=SGD(lr=(0.1, 0.2, 0.3)))
    best_of_grid = Measure.of("best_of_grid")
    series = best_of_grid.measure(Run(training=of_grid, problem=None, trajectory=trajectory))
    assert set(series) == set(best_of_grid.series)
    np.testing.assert_array_equal(series["best_value"][:, 0, 0], [0.1] * 3)
    np.testing.assert_array_equal(series["best_train_loss"][1:, 0], [[3, 3], [2, 2]])
    np.testing.assert_array_equal(series["best_test_accuracy"][1:, 0], [[5, 5], [4, 4]])
    np.testing.assert_array_equal(series["grid_train_loss"][1:, 0], [[3, 1, 9], [2, 2.5, np.inf]])
    np.testing.assert_array_equal(series["least_train_loss"][1:, 0, 0], [1, 2])
    np.testing.assert_array_equal(series["worst_over_best"][1:, 0, 0], [9, np.inf])


def test_best_of_grid_is_chosen_on_other_seeds():
    # (epochs, points, seeds): the mean over all seeds is smallest at the first point, the last seed at the third.
    losses = np.array([[[np.nan] * 3] * 3, [[1, 1, 5], [2, 2, 4], [9, 9, 3]]], dtype=float)
    names = ("train_loss", "test_loss", "test_accuracy")
    trajectory = {name: losses.reshape(2, 1, 9) for name in names} | {"step": np.arange(2)}
    of_grid = training(deep_optimizer=SGD(lr=(0.1, 0.2, 0.3)), seeds=(0, 1, 2))
    series = Measure.of({"kind": "best_of_grid", "other_seeds": True}).measure(
        Run(training=of_grid, problem=None, trajectory=trajectory)
    )
    assert series["best_value"][-1].item() == 0.3
    assert series["best_train_loss"][-1, 0].tolist() == [9, 9]
    with pytest.raises(ValueError, match="other_seeds: needs a run with at least two seeds"):
        Measure.of({"kind": "best_of_grid", "other_seeds": True}).check(
            training(deep_optimizer=SGD(lr=(0.1, 0.2)), seeds=(0,))
        )


def test_command_line_can_change_grid_length():
    run = {"small_adam": {"deep_optimizer": {"lr": [0.1, 0.2]}}}
    runs = load_config(folder_of("fast_rates"), {"fast_rates": {"runs": run}}).papers["fast_rates"].runs
    assert runs["small_adam"].training.columns(None) == 6
