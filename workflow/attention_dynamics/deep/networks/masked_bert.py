"""BERT that names masked pieces, to be pre-trained (Fast rates Figs 1 and 4)."""

from attention_dynamics.language.bert import MaskedModel
from attention_dynamics.types import Count, Probability

DATA = "masked texts"
OBSERVABLE = ()


def build(
    inputs: tuple[int, int, int], classes: int, *, dim: Count, depth: Count, heads: Count, mlp: Count,
    dropout: Probability = 0.1, positions: Count | None = None,
) -> MaskedModel:  # fmt: skip
    """See ``language.bert.MaskedModel``, also for what is raised."""
    return MaskedModel(
        inputs, classes, dim=dim, depth=depth, heads=heads, mlp=mlp, dropout=dropout, positions=positions
    )
