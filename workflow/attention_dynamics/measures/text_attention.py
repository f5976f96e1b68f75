"""How a language model does, and how sparse its attention is, over the steps (Scan and snap Figs 7 and 10)."""

from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run

SERIES = ("train_loss", "test_loss", "attention_entropy", "largest_attention", "attention_map")
DATA = ("corpus",)


def measure(run: Run) -> dict[str, Array]:
    """As recorded, (records, 1, trainings): losses in nats a word, train_loss of the batches, NaN at step 0.

    The attention is that of ``language.observed.AttentionObserver`` on the validation text, its entropy in nats;
    attention_map (records, 1, trainings, segment, segment).
    """
    return {name: run.trajectory[name] for name in SERIES}
