"""The published sequence classes as probabilities alone, without sequences (Scan and snap, Section 8)."""

from attention_dynamics.problems.source import ProblemSource
from attention_dynamics.sequences.classes import published_classes
from attention_dynamics.sequences.token_classes import ClassesShape, TokenClasses
from attention_dynamics.types import Count


class PublishedClassesSource(ProblemSource, kind="published_classes"):
    """Classes with ten common tokens and ten distinct tokens each (``sequences.classes.published_classes``).

    num_last: number of query tokens. num_next_per_last: number of classes, and so of next tokens, of each query token.
    """

    num_last: Count
    num_next_per_last: Count

    @property
    def shape(self) -> ClassesShape:
        return ClassesShape()

    def build(self) -> TokenClasses:
        classes = published_classes(num_last=self.num_last, num_next_per_last=self.num_next_per_last)
        return TokenClasses(classes.probabilities[None], classes.query_index)
