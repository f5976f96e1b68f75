"""One layer of self-attention on patches with a combined key-query matrix (Fast rates Fig 6)."""

from attention_dynamics.types import Count, Positive
from attention_dynamics.vision.patch_attention import PatchAttention

DATA = "images"
OBSERVABLE = ()


def build(
    inputs: tuple[int, int, int], classes: int, *, patch: Count, dim: Count, position_std: Positive = 0.02
) -> PatchAttention:
    """See ``vision.patch_attention.PatchAttention``, also for what is raised."""
    return PatchAttention(inputs, classes, patch=patch, dim=dim, position_std=position_std)
