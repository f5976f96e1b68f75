"""Random problems whose labels are all one (Max-margin Lemma 2)."""

from attention_dynamics.problems.problem import Problem, with_fixed_head
from attention_dynamics.problems.random_sphere import RandomSphere


class EqualLabels(RandomSphere, kind="equal_labels"):
    """The problems of ``random_sphere`` with the same tokens and heads, and every label 1."""

    def build(self) -> Problem:
        drawn = super().build()
        assert drawn.head is not None
        return with_fixed_head(drawn.tokens, abs(drawn.labels), drawn.key_weights, drawn.head, drawn.settings)
