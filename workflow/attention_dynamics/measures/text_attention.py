"""Losses of a language model, and the sparsity of its attention, over the steps (Scan and snap Figs 7 and 10)."""

from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run


class TextAttention(Measure, kind="text_attention"):
    """Losses and attention of a decoder, (records, 1, trained networks) except attention_map.

    train_loss: mean over the training batches, NaN at step 0. test_loss: on the validation text. Both are in nats per
    word. attention_entropy, in nats, and largest_attention: entropy and largest probability of the attention of a
    position, averaged over the validation text, positions and attention heads. attention_map: (records, 1, trained
    networks, queries, keys), attention in the first segment of the validation text, averaged over the attention heads.
    """

    series = ("train_loss", "test_loss", "attention_entropy", "largest_attention", "attention_map")
    data = ("corpus",)

    def measure(self, run: Run) -> dict[str, Array]:
        return {name: run.trajectory[name] for name in self.series}
