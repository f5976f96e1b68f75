"""Claims about Fig 2: scanning and snapping."""

from attention_dynamics.claims.claim import CHOSEN, PAPER, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, near
from attention_dynamics.claims.results import Results
from attention_dynamics.claims.statistics import change
from attention_dynamics.papers.scan_and_snap.rate_pairs import at_rates


@claim(
    "fig2",
    says="common tokens lose attention: their share falls between steps 0 and 98",
    basis=PAPER,
    source="Theorem 2 and Fig 2",
)
def common_suppressed(sgd: Results) -> Check:
    return check(change(at_rates(sgd, "common_mass", eta_Y=1), 0, 98), at_most(0))


@claim(
    "fig2",
    says="winners take more: the largest share of the attention on distinct tokens rises between steps 0 and 98",
    basis=PAPER,
    source="Theorem 3 and Fig 2",
)
def winners_grow(sgd: Results) -> Check:
    return check(change(at_rates(sgd, "top_share", eta_Y=1), 0, 98), at_least(0))


@claim(
    "fig2",
    says="attention freezes: the entropy on distinct tokens changes less from step 48 to 98 than a tenth of its change "
    "before",
    basis=CHOSEN,
    source="Section 6 and Fig 2; the number is ours",
)
def frozen(sgd: Results) -> Check:
    entropy = at_rates(sgd, "distinct_entropy", eta_Y=1)
    return check(change(entropy, 48, 98) / change(entropy, 0, 48), near(0, within=0.1))
