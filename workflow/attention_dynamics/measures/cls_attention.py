"""What the attention of [CLS] is like over the epochs (Max-margin Figs 6 and 7)."""

from attention_dynamics.problems.problem import Array
from attention_dynamics.run import Run

SERIES = ("soft_sparsity", "key_query_norm", "attention_map", "largest_attention")
DATA = ("images",)
OBSERVED = "cls_attention"


def measure(run: Run) -> dict[str, Array]:
    """As observed, (records, 1, trainings); attention_map (records, 1, trainings, tokens), the first being [CLS].

    largest_attention: what the patch gets that gets most, in that map.
    """
    series = {name: run.trajectory[name] for name in SERIES if name in run.trajectory}
    return series | {"largest_attention": series["attention_map"][..., 1:].max(-1)}
