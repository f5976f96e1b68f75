"""BERT as a classifier, to be fine-tuned (Fast rates Figs 1 and 4)."""

from attention_dynamics.language.bert import Classifier
from attention_dynamics.types import Count, Probability

DATA = "texts"
OBSERVABLE = ()


def build(
    inputs: tuple[int, int, int], classes: int, *, dim: Count, depth: Count, heads: Count, mlp: Count,
    dropout: Probability = 0.1, positions: Count | None = None,
) -> Classifier:  # fmt: skip
    """See ``language.bert.Classifier``, also for what is raised."""
    return Classifier(inputs, classes, dim=dim, depth=depth, heads=heads, mlp=mlp, dropout=dropout, positions=positions)
