"""The vision transformer for small data sets (Fast rates Fig 7)."""

from attention_dynamics.types import Count, Positive, Probability
from attention_dynamics.vision.vit import SmallDataViT

DATA = "images"
OBSERVABLE = ("cls_attention", "weights")


def build(
    inputs: tuple[int, int, int], classes: int, *, patch: Count, dim: Count, depth: Count, heads: Count,
    head_dim: Count, mlp: Count, dropout: Probability = 0.0, position_std: Positive = 1.0,
) -> SmallDataViT:  # fmt: skip
    """See ``vision.vit.SmallDataViT``, also for what is raised."""
    return SmallDataViT(
        inputs, classes, patch=patch, dim=dim, depth=depth, heads=heads, head_dim=head_dim, mlp=mlp, dropout=dropout,
        position_std=position_std,
    )  # fmt: skip
