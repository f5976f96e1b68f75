"""The decoder that models language (Scan and snap Figs 7 and 10)."""

from attention_dynamics.language.decoder import Decoder
from attention_dynamics.types import Count, Probability

DATA = "corpus"
OBSERVABLE = ()


def build(
    inputs: tuple[int, int], classes: int, *, dim: Count, depth: Count, heads: Count, mlp: Count,
    dropout: Probability = 0.0,
) -> Decoder:  # fmt: skip
    """See ``language.decoder.Decoder``, also for what is raised."""
    return Decoder(classes, inputs[0], dim=dim, depth=depth, heads=heads, mlp=mlp, dropout=dropout)
