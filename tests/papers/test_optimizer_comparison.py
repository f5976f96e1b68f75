"""Epochs that optimizers need to a loss, which the claims about Figs 1 and 4 of Fast rates compare."""

import numpy as np
import pytest

from attention_dynamics.claims.expectation import at_most, check
from attention_dynamics.papers.fast_rates.claims_of_optimizers import comparison_claims
from attention_dynamics.papers.fast_rates.optimizer_comparison import (
    Pair,
    epochs_to_loss,
    ratio_of_epochs,
    run_under,
    target_loss,
)
from attention_dynamics.run import Run, Runs


def results(name, losses, before=4.0):
    """Return a run with these training losses, (epochs, seeds), and the loss ``before`` training on test data."""
    losses = np.array(losses, dtype=float)
    train = np.vstack([np.full(losses.shape[1], np.nan), losses])[:, None]
    test = np.where(np.isnan(train), before, 99.0)
    series = {"best_train_loss": train, "best_test_loss": test}
    return Run(name=name, training=None, problem=None, trajectory={"step": np.arange(len(train))}, series=series)


# The loss is 4 before training and 2 at the end of SGD, so that the target is 3.
SGD = results("data_sgd", [[4.0, 4.0, 4.0], [3.5, 3.5, 4.0], [2.0, 2.0, 2.0]])


def runs(**others):
    return Runs({"data_sgd": SGD, **{f"data_{name}": results(f"data_{name}", each) for name, each in others.items()}})


def test_epochs_to_the_target_are_interpolated_for_each_seed():
    assert target_loss(SGD) == 3.0
    np.testing.assert_allclose(epochs_to_loss(SGD, 3.0), [2 + 1 / 3, 2 + 1 / 3, 2.5])
    # Within the first epoch; when the target is first reached; never.
    for losses, epochs in (([2.0, 1.0], 0.5), ([3.0, 5.0, 1.0], 1.0), ([3.5, 3.1], np.inf), ([np.inf] * 2, np.inf)):
        np.testing.assert_allclose(epochs_to_loss(results("x", [[loss] for loss in losses]), 3.0), [epochs])


def test_ratio_uses_median_seeds():
    faster = [[3.0, 4.0, 2.0], [2.0, 3.0, 2.0]]
    assert ratio_of_epochs(runs(sngd=faster), Pair("SNGD", "SGD")) == pytest.approx(1 / (2 + 1 / 3))


def test_ratio_is_infinity_zero_or_nan_where_target_is_not_reached():
    never, once = [[4.0, 4.0, 4.0]], [[4.0, 3.0, 4.0]]
    reached = [[3.0, 3.0, 3.0]]
    compared = runs(sngd=never, sps=once, adam=reached)
    assert ratio_of_epochs(compared, Pair("SPS", "SGD")) == np.inf
    assert ratio_of_epochs(compared, Pair("Adam", "SNGD")) == 0
    neither = ratio_of_epochs(compared, Pair("SPS", "SNGD"))
    assert np.isnan(neither)
    assert check(neither, at_most(0.8)).verdict() == "fails"


def test_missing_optimizer_is_refused_and_shared_claims_do_not_cite_paper():
    with pytest.raises(ValueError, match="exactly one run under Adam; its runs are data_sgd"):
        run_under(runs(), "Adam")
    assert {one.basis for one in comparison_claims("fig6", inputs="images")} == {"chosen"}
