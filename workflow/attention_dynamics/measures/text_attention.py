"""Losses of a language model, and the sparsity of its attention, over the steps (Scan and snap Figs 7 and 10)."""

from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run


class TextAttention(Measure, kind="text_attention"):
    """Losses and attention of a decoder, (records, 1, trainings) except attention_map.

    train_loss: of the training batches, NaN at step 0. test_loss: of the validation text. Both are in nats per word.
    attention_entropy, largest_attention, attention_map: see ``modules.observers.DecoderObserver``, on the validation
    text; the entropy is in nats, the map is (records, 1, trainings, segment, segment).
    """

    series = ("train_loss", "test_loss", "attention_entropy", "largest_attention", "attention_map")
    data = ("corpus",)

    def measure(self, run: Run) -> dict[str, Array]:
        return {name: run.trajectory[name] for name in self.series}
