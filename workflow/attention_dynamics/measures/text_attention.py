"""How a language model does, and how sparse its attention is, over the steps (Scan and snap Figs 7 and 10)."""

import numpy as np

from attention_dynamics.grids import grid_points
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run

SERIES = (
    "train_loss", "test_loss", "attention_entropy", "largest_attention", "attention_map", "mean_entropy",
    "deviation_entropy", "mean_largest_attention",
)  # fmt: skip
DATA = "corpus"


def measure(run: Run) -> dict[str, Array]:
    """As recorded, (records, 1, trainings): losses in nats a word, train_loss of the batches, NaN at step 0; of the
    attention on the validation text in nats, and attention_map (records, 1, trainings, segment, segment).

    mean_entropy, deviation_entropy, mean_largest_attention: over the seeds, (records, 1, learning rates); the sample
    deviation is NaN for one seed.
    """
    recorded = {name: run.trajectory[name] for name in SERIES if name in run.trajectory}
    points = len(grid_points(run.settings["deep_optimizer"]))
    entropy, largest = (
        recorded[name].reshape(len(run.steps), 1, points, -1) for name in ("attention_entropy", "largest_attention")
    )
    deviation = entropy.std(-1, ddof=1) if entropy.shape[-1] > 1 else np.full(entropy.shape[:-1], np.nan)
    means = {
        "mean_entropy": entropy.mean(-1),
        "deviation_entropy": deviation,
        "mean_largest_attention": largest.mean(-1),
    }
    return recorded | means
