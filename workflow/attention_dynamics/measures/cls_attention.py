"""Attention of [CLS] over the epochs (Max-margin Figs 6 and 7)."""

from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run


class ClsAttention(Measure, kind="cls_attention"):
    """Attention from the token [CLS] in the last layer, (records, 1, trained networks) unless said otherwise.

    soft_sparsity: mean over the images of 1 / |s|^2, with the attention s from [CLS] averaged over the attention heads.
    key_query_norm: |W_K W_Q'|, the norm of the sum over the attention heads.
    attention_map: (records, 1, trained networks, tokens), s for one image; token 0 is [CLS], the others are patches.
    largest_attention: the largest entry of attention_map for a patch.
    """

    series = ("soft_sparsity", "key_query_norm", "attention_map", "largest_attention")
    data = ("images",)
    required_observation = "cls_attention"

    def measure(self, run: Run) -> dict[str, Array]:
        series = {name: run.trajectory[name] for name in self.series if name in run.trajectory}
        return series | {"largest_attention": series["attention_map"][..., 1:].max(-1)}
