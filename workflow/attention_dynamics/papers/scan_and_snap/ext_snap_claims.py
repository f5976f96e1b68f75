"""Claims about our extension to 2000 iterations: attention snaps, for eta_Z = 1 and eta_Y = 1 and 10."""

from typing import NamedTuple

from attention_dynamics.claims.claim import RECOMPUTED, claim
from attention_dynamics.claims.expectation import Check, check, near
from attention_dynamics.claims.results import Results
from attention_dynamics.claims.statistics import change
from attention_dynamics.papers.scan_and_snap.rate_pairs import at_rates


class Expected(NamedTuple):
    """A change of the entropy on distinct tokens."""

    eta_Y: int  # noqa: N815
    change: float
    within: float


@claim(
    "ext_snap",
    says="After the snap attention hardly moves with eta_Y = {case.eta_Y}: change of the mean entropy on distinct "
    "tokens from iteration 100 to 2000",
    cases={"1": Expected(1, 0, within=0.02), "10": Expected(10, 0, within=1e-3)},
    basis=RECOMPUTED,
    source="independent computation; in words, Section 1: 'the attention changes slowly (i.e., logarithmically over "
    "time)'",
)
def frozen(long: Results, case: Expected) -> Check:
    entropy = at_rates(long, "distinct_entropy", eta_Y=case.eta_Y)
    return check(change(entropy, 100, 2000).mean(), near(case.change, within=case.within))


@claim(
    "ext_snap",
    says="Attention moves before the snap with eta_Y = {case.eta_Y}: change of the entropy on distinct tokens from "
    "iteration 0 to 20, in each of five runs",
    cases={"1": Expected(1, -0.15, within=0.04), "10": Expected(10, -0.05, within=0.015)},
    basis=RECOMPUTED,
    source="independent computation",
)
def moved_before(long: Results, case: Expected) -> Check:
    entropy = at_rates(long, "distinct_entropy", eta_Y=case.eta_Y)
    return check(change(entropy, 0, 20), near(case.change, within=case.within))
