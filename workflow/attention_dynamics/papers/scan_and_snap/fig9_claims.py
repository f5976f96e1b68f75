"""Claims about Fig 9: the growth exponent B of attention for a fixed ratio nu = eta_Y / eta_Z of learning rates.

The series ``lead`` is B for one eta_Z minus that for the next smaller one; the first has none.
"""

from typing import NamedTuple

from attention_dynamics.claims.claim import DERIVED, PAPER, claim
from attention_dynamics.claims.expectation import Check, at_least, check, near
from attention_dynamics.run import Runs
from attention_dynamics.series.statistics import smallest


class Panel(NamedTuple):
    """A panel: the ratio nu of learning rates, and the last t."""

    nu: int
    end: int

    @property
    def run(self) -> str:
        """Name of the run over t."""
        return f"ratio_{self.nu}"

    @property
    def run_at_t0(self) -> str:
        """Name of the run whose only step is t0 of each eta_Z."""
        return f"ratio_{self.nu}_snapping"


PANELS = {"10": Panel(nu=10, end=5), "1": Panel(nu=1, end=50)}


@claim(
    "fig9",
    says="The growth exponent at the start of snapping, B(t0), depends on the ratio eta_Y / eta_Z = {case.nu} only: "
    "largest difference from one eta_Z to the next",
    cases=PANELS,
    basis=PAPER,
    source="Appendix F on equation 131: B(t0) 'just depends on' K, M and the ratio, 'and thus fixing' it 'and "
    "changing' eta_Z 'will not influence the value of' B(t0)",
)
def independent(runs: Runs, case: Panel) -> Check:
    return check(runs[case.run_at_t0]["lead"].starts(1, 2, 3, 4).at(1), near(0, within=1e-6))


@claim(
    "fig9",
    says="Scaling up both learning rates leads to a larger growth exponent in the end: smallest difference of B from "
    "one eta_Z to the next larger one at t = {case.end}, with eta_Y = {case.nu} eta_Z",
    cases=PANELS,
    basis=PAPER,
    source="Section 6: 'scaling up both learning rate ... leads to larger' B for large t",
)
def larger_in_the_end(runs: Runs, case: Panel) -> Check:
    return check(runs[case.run]["lead"].starts(1, 2, 3, 4).at(case.end), at_least(0))


@claim(
    "fig9",
    says="With eta_Y = {case.nu} eta_Z the growth exponent B is larger for larger eta_Z at every t: smallest "
    "difference from one eta_Z to the next larger one",
    cases=PANELS,
    basis=DERIVED,
    source="by equation 129 B grows with h^2 / nu; at a fixed ratio nu only h depends on eta_Y, and by equation 45 it "
    "increases with eta_Y t",
)
def grows_with_eta(runs: Runs, case: Panel) -> Check:
    return check(smallest(runs[case.run]["lead"].starts(1, 2, 3, 4)).min(), at_least(0))
