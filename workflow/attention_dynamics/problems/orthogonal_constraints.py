"""The constraints of the ATT-SVM as examples of logistic regression, to compare with self-attention (Fast rates)."""

from attention_dynamics.problems.constraint_examples import constraint_examples
from attention_dynamics.problems.nearly_orthogonal import NearlyOrthogonal
from attention_dynamics.problems.problem import Problem
from attention_dynamics.problems.shape import TokenShape
from attention_dynamics.problems.source import ProblemSource
from attention_dynamics.types import Count, Seeds


class OrthogonalConstraints(ProblemSource, kind="orthogonal_constraints"):
    """Linear classification whose SVM is W_mm, the ATT-SVM of the optimal tokens of ``nearly_orthogonal``.

    The data sets are those of ``nearly_orthogonal`` with the same settings. For every input i and every token t but the
    optimal one there is an example (x_i,opt - x_it) x_i1', labelled 1 (``constraint_examples``). Examples and head are
    in the coordinates of keys and W in ``nearly_orthogonal``.
    """

    seeds: Seeds
    n: Count
    T: Count
    d: Count
    antipodal: bool = False

    @property
    def shape(self) -> TokenShape:
        sequences = self._sequences.shape
        return TokenShape(
            problems=sequences.problems, inputs=self.n * (self.T - 1), tokens=1,
            dimension=sequences.key_dimension or 0, settings=sequences.settings, fixed_head=False, key_dimension=1,
        )  # fmt: skip

    def build(self) -> Problem:
        return constraint_examples(self._sequences.build())

    @property
    def _sequences(self) -> NearlyOrthogonal:
        return NearlyOrthogonal(seeds=self.seeds, n=self.n, T=self.T, d=self.d, antipodal=self.antipodal)
