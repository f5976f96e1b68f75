"""Claims about Fig 3: how attention on the dominant token grows, by the closed form of Theorem 3.

The learning rates eta_Y are 0.5, 1, 2 and 5. The series ``lead`` is the growth exponent B of one of them minus
that of the next smaller one; the first has none.
"""

import numpy as np

from attention_dynamics.claims.claim import DERIVED, PAPER, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, near
from attention_dynamics.claims.results import Results
from attention_dynamics.claims.statistics import largest, smallest, smallest_increase, table

CLOSED_FORM = "independent computation of the closed form"


@claim("fig3", says="chi increases: smallest change from one t to the next", basis=PAPER, source="Theorem 3")
def increases(growth: Results) -> Check:
    return check(smallest_increase(growth["growth_factor"]).min(), at_least(0))


@claim(
    "fig3",
    says="from t = 277, 2 K ln M / eta_Y for the smallest eta_Y, the smaller eta_Y the larger B: "
    "largest lead of one over the next smaller one",
    basis=PAPER,
    source="Fig 3",
)
def slower_is_larger(growth: Results) -> Check:
    late = growth["lead"].starts(1, 2, 3).during(277, growth.last_step)
    return check(largest(late).max(), at_most(0))


@claim(
    "fig3",
    says="up to t = 25 the larger eta_Y the larger B: smallest lead of one over the next smaller one",
    basis=PAPER,
    source="Fig 3",
)
def faster_begins_larger(growth: Results) -> Check:
    early = growth["lead"].starts(1, 2, 3).during(1, 25)
    return check(smallest(early).min(), at_least(0))


@claim(
    "fig3",
    says="when eta_Y = .5 overtakes 1, 1 overtakes 2, and 2 overtakes 5, for any C0",
    basis=DERIVED,
    source=CLOSED_FORM,
)
def crossings(growth: Results) -> Check:
    times = growth["overtaken_at"].starts(1, 2, 3).at(0)
    return check(times, near([125, 62.5, 28.5], within_percent=1))


@claim(
    "fig3",
    says="t0 for eta_Y = .5, 1, 2, 5, which is proportional to 1 / eta_Y",
    basis=DERIVED,
    source="Theorem 4",
)
def transition(growth: Results) -> Check:
    return check(growth["transition_time"].at(0), near([364.7, 182.35, 91.175, 36.47], within_percent=0.02))


# In the two runs below, one step is t0' (the end of scanning) or t0 (the start of snapping) of each learning rate.


@claim(
    "fig3",
    says="d ln chi / d ln t at t0' and 2 t0', the same for each eta_Y",
    basis=DERIVED,
    source=CLOSED_FORM,
)
def scanning(growth_scanning: Results) -> Check:
    exponents = table(growth_scanning["local_exponent"], [1, 2])
    return check(exponents, near(np.repeat([0.694, 0.258], 4), within=0.02))


@claim(
    "fig3",
    says="d ln chi / d ln t at t0, 3 t0 and 10 t0, the same for each eta_Y",
    basis=DERIVED,
    source=CLOSED_FORM,
)
def snapping(growth_snapping: Results) -> Check:
    exponents = table(growth_snapping["local_exponent"], [1, 3, 10])
    return check(exponents, near(np.repeat([0.198, 0.114, 0.088], 4), within=0.02))


@claim("fig3", says="chi at t = 691 relative to that of eta_Y = 5", basis=DERIVED, source=CLOSED_FORM)
def late_ratios(growth: Results) -> Check:
    return check(growth["relative_factor"].at(691), near([2.51, 1.93, 1.46, 1], within_percent=2))
