"""Epochs that optimizers need to a loss, which the claims about Figs 1 and 4 of Fast rates compare."""

from types import SimpleNamespace

import numpy as np
import pytest

from attention_dynamics.deep.optim import DeepOptimizer
from attention_dynamics.papers.fast_rates import optimizer_comparison as comparison
from attention_dynamics.papers.fast_rates.claims_of_optimizers import comparison_claims
from attention_dynamics.papers.fast_rates.optimizers import draw
from attention_dynamics.run import Run, Runs


def results(name, losses, before=4.0):
    """Return a run with these training losses, (epochs, seeds), and the loss ``before`` training on test data."""
    losses = np.array(losses, dtype=float)
    train = np.vstack([np.full(losses.shape[1], np.nan), losses])[:, None]
    test = np.where(np.isnan(train), before, 99.0)
    series = {"best_train_loss": train, "best_test_loss": test}
    return Run(name=name, training=None, problem=None, trajectory={"step": np.arange(len(train))}, series=series)


# Two seeds of SGD reach its mean loss at the end, 2, after 3 and after 2.6 epochs.
SGD = results("data_sgd", [[4.0, 4.0, 4.0], [3.5, 3.5, 4.0], [2.0, 1.0, 3.0]])


def runs(**others):
    return Runs({"data_sgd": SGD, **{f"data_{name}": results(f"data_{name}", each) for name, each in others.items()}})


def test_epochs_to_target_are_interpolated_for_each_seed():
    assert comparison.target_loss(SGD) == 2.0
    np.testing.assert_allclose(comparison.epochs_to_loss(SGD, 3.0), [2 + 1 / 3, 2.2, 3])
    # Within the first epoch; when the target is first reached; never.
    for losses, epochs in (([2.0, 1.0], 0.5), ([3.0, 5.0, 1.0], 1.0), ([3.5, 3.1], np.inf), ([np.inf] * 2, np.inf)):
        np.testing.assert_allclose(comparison.epochs_to_loss(results("x", [[loss] for loss in losses]), 3.0), [epochs])


def test_epochs_are_compared_with_those_of_same_seed_of_sgd():
    compared = runs(sngd=[[3.0, 2.0, 4.0], [1.0, 1.0, 4.0], [1.0, 1.0, 4.0]], sps=[[4.0] * 3] * 3)
    np.testing.assert_allclose(
        comparison.log_ratio_of_epochs(compared, "SNGD").values, np.log([1.5 / 3, 1 / 2.6, 3 / 3])
    )
    # Not reached is all epochs, which may be more than SGD needs.
    np.testing.assert_allclose(comparison.log_ratio_of_epochs(compared, "SPS").values, np.log([1, 3 / 2.6, 1]))


def test_sgd_is_not_faster_than_itself():
    losses = SGD["best_train_loss"].values[1:]
    assert not comparison.log_ratio_of_epochs(runs(sngd=losses), "SNGD").values.any()


def test_losses_are_means_over_epochs_compared_with_same_seed():
    compared = runs(sps=[[2.0, 4.0, 4.0]] * 3, adam=[[1.0, 1.0, 1.0]] * 3)
    sgd = np.array([9.5, 8.5, 11]) / 3
    np.testing.assert_allclose(
        comparison.log_ratio_of_losses(compared, "SPS").values, np.log(np.array([2, 4, 4]) / sgd)
    )
    np.testing.assert_allclose(comparison.further_from_adam(compared, "SPS").values, np.log([2, 4, 4]) - np.log(sgd))


def test_missing_optimizer_is_refused_and_shared_claims_do_not_cite_paper():
    with pytest.raises(ValueError, match="exactly one run under Adam; its runs are data_sgd"):
        comparison.run_under(runs(), "Adam")
    assert {one.basis for one in comparison_claims("fig6", inputs="images")} == {"chosen"}


def grid_results(name, grid, seeds):
    """Return a run of SGD with a grid of step sizes, the first of which is the best, and two epochs."""
    losses = np.array([np.full(seeds, np.nan), np.full(seeds, 1.5), np.ones(seeds)])[:, None]
    series = {f"best_{part}": losses for part in ("train_loss", "test_loss", "test_accuracy")}
    series["best_value"] = np.full((3, 1, 1), grid[0])
    series["grid_train_loss"] = np.tile(np.linspace(1, 2, len(grid)), (3, 1, 1))
    trained = np.repeat(series["grid_train_loss"], seeds, axis=-1)
    training = SimpleNamespace(deep_optimizer=DeepOptimizer.of({"kind": "sgd", "lr": grid}))
    problem = SimpleNamespace(test_labels=np.array([0, 1, 1]))
    trajectory = {"step": np.arange(3), "train_loss": trained}
    return Run(name=name, training=training, problem=problem, trajectory=trajectory, series=series)


def test_runs_of_selection_are_in_panel_of_step_sizes_only():
    judged, chosen = grid_results("data_sgd", [0.03], 3), grid_results("sgd_selection", [0.03, 0.01, 0.1], 1)
    figure = draw(Runs({"data_sgd": judged, "sgd_selection": chosen}), target=True, selection=("sgd_selection",))
    *curves, grid = figure.axes[:4]
    assert [len(axes.collections) for axes in curves] == [1, 1, 1]
    line, _ = grid.get_lines()
    np.testing.assert_array_equal(line.get_xdata(), [0.01, 0.03, 0.1])
    np.testing.assert_array_equal(line.get_ydata(), [1.5, 1, 2])
    assert "d: of another seed" in figure.legends[0].get_title().get_text()
    line, seeds = draw(Runs({"data_sgd": judged})).axes[3].get_lines()
    np.testing.assert_array_equal(line.get_xdata(), [0.03])
    np.testing.assert_array_equal(seeds.get_xdata(), [0.03] * 3)


def test_legend_names_step_size():
    for lr, text in ((0.0003, "0.0003"), (5e-5, r"5 \cdot 10^{-5}"), (2.5, "2.5")):
        figure = draw(Runs({"data_sgd": grid_results("data_sgd", [lr], 3)}))
        assert rf"SGD, $\eta = {text}$" in [one.get_text() for one in figure.legends[0].get_texts()]
