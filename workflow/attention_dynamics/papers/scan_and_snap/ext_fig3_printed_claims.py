"""Claims about our extension of Fig 3: the growth factor as equation 129 prints it."""

from attention_dynamics.claims.claim import DERIVED, RECOMPUTED, claim
from attention_dynamics.claims.expectation import Check, check, near
from attention_dynamics.claims.results import Results


@claim(
    "ext_fig3_printed",
    says="As printed the growth factor does not begin at one: chi(0), which is the square root of C0 = 1/160",
    basis=DERIVED,
    source="equation 129 at t = 0, where h = 0: B(0) = ln(C0) / 4 and chi = exp(2 B)",
)
def begins_elsewhere(growth: Results) -> Check:
    return check(growth["printed_factor"].at(0), near(0.0790569, within=1e-6))


@claim(
    "ext_fig3_printed",
    says="As printed the growth factor stays far below the paper's axis of 600: chi at t = 690 for eta_Y = 0.5, 1, 2, "
    "5",
    basis=RECOMPUTED,
    source="independent computation of the closed form with C0 = 1, which changes little here",
)
def other_scale(growth: Results) -> Check:
    return check(growth["printed_factor"].at(690), near([45.15, 34.67, 26.26, 17.99], within=0.06))
