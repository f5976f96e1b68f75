"""Claims about our figure on the two fates of Section 6: equation 10 where gamma = (1 + t)^-p, up to t = 10^12."""

from attention_dynamics.claims.claim import DERIVED, PAPER, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check
from attention_dynamics.claims.results import Results

# Powers p: of the slow ones the integral of gamma grows without bound.
SLOW_DECAYS, FAST_DECAYS = {"0": 0, "0.5": 1}, {"1.5": 3, "2": 4}
LAST_STEP = 10**12
PASSAGE = (
    "Section 6: 'all contextual tokens except for the dominant one will drop' and 'Eventually, winner-takes-all "
    "happens'"
)


@claim(
    "ext_winner",
    says="Where the speed of attention gamma does not decay one token takes all: its share of the attention on "
    "distinct tokens at t = 10^12",
    basis=PAPER,
    source=PASSAGE + "; 0.95 was chosen after seeing it",
)
def takes_all(decays: Results) -> Check:
    return check(decays["top_share"].starts(0).at(LAST_STEP), at_least(0.95))


@claim(
    "ext_winner",
    says="With slow decay of the speed of attention, gamma = (1 + t)^-{case}, attention goes on concentrating: change "
    "of the dominant token's share in the last two of twelve decades",
    cases=SLOW_DECAYS.keys(),
    basis=PAPER,
    source=PASSAGE + "; 0.01 was chosen after seeing it",
)
def goes_on(decays: Results, case: str) -> Check:
    return check(_late_change(decays, "top_share", SLOW_DECAYS[case]), at_least(0.01))


@claim(
    "ext_winner",
    says="With fast decay of the speed of attention, gamma = (1 + t)^-{case}, attention freezes: change of the "
    "dominant token's share in the last two of twelve decades",
    cases=FAST_DECAYS.keys(),
    basis=PAPER,
    source="Section 6: if B 'grows very slowly, or even has an upper limit, then the self-attention patterns are "
    '"snapped"\'; 0.0001 was chosen after seeing it',
)
def freezes(decays: Results, case: str) -> Check:
    return check(_late_change(decays, "top_share", FAST_DECAYS[case]), at_most(1e-4))


def _late_change(run: Results, series: str, flow: int) -> float:
    """Return the change over the last two decades; there are eight records in each."""
    values = run[series].starts(flow).values[:, 0]
    return float(values[-1] - values[-17])


@claim(
    "ext_winner",
    says="The growth exponent B is larger the slower the speed of attention, gamma = (1 + t)^-p, decays: smallest "
    "difference at t = 10^12 between one p of 0, 0.5, 1, 1.5 and 2 and the next larger one",
    basis=DERIVED,
    source="equation 10 depends on time through gamma only, so that B is an increasing function of the integral of "
    "gamma",
)
def ordered(decays: Results) -> Check:
    exponents = decays["exponent"].at(LAST_STEP)
    return check(exponents[:-1] - exponents[1:], at_least(0))
