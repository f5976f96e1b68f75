"""Losses of a language model, and the sparsity of its attention, over the steps (Scan and snap Figs 7 and 10)."""

from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run


class TextAttention(Measure, kind="text_attention"):
    """Records of a decoder, (records, 1, trainings): losses in nats a word, train_loss of the batches, NaN at step 0.

    The attention is that of ``modules.observers.DecoderObserver`` on the validation text, its entropy in nats;
    attention_map (records, 1, trainings, segment, segment).
    """

    series = ("train_loss", "test_loss", "attention_entropy", "largest_attention", "attention_map")
    data = ("corpus",)

    def measure(self, run: Run) -> dict[str, Array]:
        return {name: run.trajectory[name] for name in self.series}
