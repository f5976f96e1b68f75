"""Epochs and losses under the optimizers that Figs 1, 4, 6 and 7 compare.

The runs of a figure are named after its data and the optimizer in lower case: ``mnli_sngd``. Each run is a grid of
trainings with several step sizes and seeds. The best step size of an optimizer has the smallest mean training loss at
the end, over the seeds for selection. Claims compare the losses of the best step sizes on the other seeds.
"""

import numpy as np

from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run, Runs
from attention_dynamics.series.confidence import Sample


def run_under(runs: Runs, optimizer: str) -> Run:
    """Return the run of a figure under an optimizer. Raises ValueError unless there is exactly one."""
    names = [name for name in runs if name.endswith(f"_{optimizer.lower()}")]
    if len(names) != 1:
        raise ValueError(f"the figure needs exactly one run under {optimizer}; its runs are {', '.join(runs)}")
    return runs[names[0]]


def target_loss(sgd: Run) -> float:
    """Return SGD's training loss in the last epoch, mean over the seeds."""
    return float(sgd["best_train_loss"].at(sgd.last_step).mean())


def epochs_to_loss(run: Run, target: float) -> Array:
    """Return the epochs until the training loss is at most ``target``, (seeds,), interpolated between epochs.

    The number is infinite for a seed that does not reach ``target``. The loss before training is that on test data,
    because the training loss is a mean over the batches of an epoch and is known only after the first epoch.
    """
    losses = np.vstack([run["best_test_loss"].at(0), run["best_train_loss"].values[1:]])
    steps, epochs = run["best_train_loss"].steps, np.full(losses.shape[1], np.inf)
    for seed, loss in enumerate(losses.T):
        if (reached := loss <= target).any():
            k = max(int(reached.argmax()), 1)
            share = np.clip((loss[k - 1] - target) / (loss[k - 1] - loss[k]), 0, 1) if np.isfinite(loss[k - 1]) else 1
            epochs[seed] = steps[k - 1] + share * (steps[k] - steps[k - 1])
    return epochs


def log_ratio_of_epochs(runs: Runs, optimizer: str) -> Sample:
    """Return ln(E / E_SGD) for each seed.

    E and E_SGD are the numbers of epochs until the optimizer and SGD reach SGD's training loss in the last epoch, mean
    over the seeds. For a seed that does not reach this loss, the number is that of all epochs.
    """
    sgd = run_under(runs, "SGD")
    target = target_loss(sgd)
    # Seeds of SGD are counted like those of the optimizer, so that the ratio of SGD to itself would be 1.
    own, of_sgd = (np.minimum(epochs_to_loss(one, target), one.last_step) for one in (run_under(runs, optimizer), sgd))
    return Sample.of(np.log(own / of_sgd), "compared seed")


def mean_losses(runs: Runs, optimizer: str) -> Array:
    """Return the training loss under an optimizer, mean over all epochs, (seeds,)."""
    return np.asarray(run_under(runs, optimizer)["best_train_loss"].values[1:].mean(0))


def log_ratio_of_losses(runs: Runs, optimizer: str) -> Sample:
    """Return ln(L / L_SGD), for each seed, where L is an optimizer's mean training loss over all epochs."""
    return Sample.of(np.log(mean_losses(runs, optimizer) / mean_losses(runs, "SGD")), "compared seed")


def further_from_adam(runs: Runs, optimizer: str) -> Sample:
    """Return |ln(L / L_Adam)| - |ln(L_SGD / L_Adam)|, for each seed, with L as in ``log_ratio_of_losses``."""
    adam = mean_losses(runs, "Adam")
    own, sgd = (np.abs(np.log(mean_losses(runs, one) / adam)) for one in (optimizer, "SGD"))
    return Sample.of(own - sgd, "compared seed")
