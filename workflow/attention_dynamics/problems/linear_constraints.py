"""The constraints of an l_p-AttSVM as examples of a linear classifier, a simple model for Mirror descent's rate."""

from attention_dynamics.problems.constraint_examples import constraint_examples
from attention_dynamics.problems.problem import Problem
from attention_dynamics.problems.random_queries import RandomQueries
from attention_dynamics.problems.shape import TokenShape
from attention_dynamics.problems.source import ProblemSource
from attention_dynamics.types import Count, Seed


class LinearConstraints(ProblemSource, kind="linear_constraints"):
    """Linear classification whose l_p-SVM is the l_p-AttSVM of the optimal tokens of ``random_queries``.

    The data sets are those of ``random_queries`` with the same settings. For every input i and every token t but the
    optimal one there is an example (x_i,opt - x_it) z_i', labelled 1, in R^(d * d) (``constraint_examples``).
    """

    datasets: Count
    n: Count
    T: Count
    d: Count
    first_seed: Seed = 1

    @property
    def shape(self) -> TokenShape:
        return TokenShape(
            problems=self.datasets, inputs=self.n * (self.T - 1), tokens=1, dimension=self.d**2,
            settings=self._queries.shape.settings, fixed_head=False, key_dimension=1,
        )  # fmt: skip

    def build(self) -> Problem:
        return constraint_examples(self._queries.build())

    @property
    def _queries(self) -> RandomQueries:
        return RandomQueries(datasets=self.datasets, n=self.n, T=self.T, d=self.d, first_seed=self.first_seed)
