"""The encoder that tells two classes of texts apart (Mirror descent 4.1 to 4.3)."""

from attention_dynamics.language.classifier import TextClassifier
from attention_dynamics.types import Count, Probability

DATA = "texts"
OBSERVABLE = ("weights", "sentences")
CLASSES = 2


def build(
    inputs: tuple[int, int, int], classes: int, *, dim: Count, depth: Count, heads: Count, mlp: Count,
    dropout: Probability = 0.0,
) -> TextClassifier:  # fmt: skip
    """See ``language.classifier.TextClassifier``, also for what is raised. ValueError unless there are two classes."""
    if classes != 2:
        raise ValueError(f"network: text_classifier is for 2 classes, the problem has {classes}")
    return TextClassifier(inputs, dim=dim, depth=depth, heads=heads, mlp=mlp, dropout=dropout)
