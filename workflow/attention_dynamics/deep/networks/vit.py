"""The vision transformer with [CLS] (Max-margin Figs 6 and 7, Mirror descent 4.4)."""

from attention_dynamics.types import Count, Positive, Probability
from attention_dynamics.vision.vit import ViT

DATA = "images"
OBSERVABLE = ("cls_attention", "weights")


def build(
    inputs: tuple[int, int, int], classes: int, *, patch: Count, dim: Count, depth: Count, heads: Count, mlp: Count,
    dropout: Probability = 0.0, position_std: Positive = 0.02, bias: bool = False, resize: Count | None = None,
) -> ViT:  # fmt: skip
    """See ``vision.vit.ViT``, also for what is raised."""
    return ViT(
        inputs, classes, patch=patch, dim=dim, depth=depth, heads=heads, mlp=mlp, dropout=dropout,
        position_std=position_std, bias=bias, resize=resize,
    )  # fmt: skip
