"""Claims about Fig 2: scanning and snapping, on the two classes of Fig 4 with eta_Y = eta_Z = 1."""

from attention_dynamics.claims.claim import CHOSEN, PAPER, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, near
from attention_dynamics.papers.scan_and_snap.rate_pairs import at_rates
from attention_dynamics.run import Run
from attention_dynamics.series.statistics import change


@claim(
    "fig2",
    says="Common tokens lose attention: change of their share in c_n from iteration 0 to 98, mean of the two classes",
    basis=PAPER,
    source="Section 3.2: 'distinct tokens tend to be paid attention while common tokens tend to be ignored'",
)
def common_suppressed(sgd: Run) -> Check:
    return check(change(at_rates(sgd, "common_mass", eta_Y=1), 0, 98), at_most(0))


@claim(
    "fig2",
    says="The winning distinct token gains on the others: change, from iteration 0 to 98, of the largest share of "
    "attention on distinct tokens, mean of the two classes",
    basis=PAPER,
    source="Section 5: a component of low probability 'will be quickly dwarfed by the dominating component'",
)
def winners_grow(sgd: Run) -> Check:
    return check(change(at_rates(sgd, "top_share", eta_Y=1), 0, 98), at_least(0))


@claim(
    "fig2",
    says="Attention freezes: change of the entropy on distinct tokens from iteration 48 to 98, relative to its change "
    "from 0 to 48",
    basis=CHOSEN,
    source="Section 6: 'the self-attention patterns are \"snapped\" and token combination is learned and fixed'; the "
    "threshold, a tenth, is ours",
)
def frozen(sgd: Run) -> Check:
    entropy = at_rates(sgd, "distinct_entropy", eta_Y=1)
    return check(change(entropy, 48, 98) / change(entropy, 0, 48), near(0, within=0.1))
