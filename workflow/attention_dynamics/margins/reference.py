"""Base class of the reference directions, solutions of max-margin programs."""

from typing import ClassVar, Literal

from attention_dynamics.margins.max_margin import Infeasible, Solution
from attention_dynamics.problems.problem import Problem
from attention_dynamics.registry import Component
from attention_dynamics.types import Selection

# Names of the arrays of a solution (``references.tabulate``), which claims can read.
QUANTITIES = (
    "direction", "weights", "norm", "objective", "margins", "duals", "support", "gap", "residual",
    "feasible", "infeasibility", "tight", "sklearn_cosine", "selected", "margins_of_others", "smallest_margin",
    "neighbors", "score_gap", "assumption_b", "locally_optimal",
)  # fmt: skip


class Reference(Component, packages=("margins",)):
    """A max-margin program. Its solution is the reference direction that training is compared with.

    select: "optimal", or the index of the token to select in each input. parameter: the parameter that is compared with
    the direction, "p" (also for runs that train W) or "v". follows_selection: True if a run may solve the program for
    the tokens that its training selects.
    """

    parameter: ClassVar[Literal["p", "v"]] = "p"
    follows_selection: ClassVar[bool] = False

    select: Selection = "optimal"

    def solve(self, problem: Problem, index: int) -> Solution | Infeasible:
        """Return the certified solution of problem ``index`` of a batch, or a certificate that there is none.

        Raises SolverError if neither could be certified, and ValueError for a selection that does not fit.
        """
        raise NotImplementedError
