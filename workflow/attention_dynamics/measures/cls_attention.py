"""Attention of [CLS] over the epochs (Max-margin Figs 6 and 7)."""

from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run


class ClsAttention(Measure, kind="cls_attention"):
    """Observations of [CLS], (records, 1, trainings).

    attention_map: (records, 1, trainings, tokens), the first token being [CLS]. largest_attention: the largest share
    that a patch gets in that map.
    """

    series = ("soft_sparsity", "key_query_norm", "attention_map", "largest_attention")
    data = ("images",)
    required_observation = "cls_attention"

    def measure(self, run: Run) -> dict[str, Array]:
        series = {name: run.trajectory[name] for name in self.series if name in run.trajectory}
        return series | {"largest_attention": series["attention_map"][..., 1:].max(-1)}
